"""Releases: the list and making one, one release with its files, its download, and two side by side."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from kb.web.parameters import chosen
from labeling.models import Job, Member, Release, Role
from labeling.refusals import RefusedError
from labeling.releases import archive
from labeling.releases import build as making
from labeling.releases.comparison import compare
from labeling.selectors.names import name_of
from labeling.selectors.releases import may_read, releases
from labeling.services import jobs
from labeling.web.access import project_page
from labeling.web.answers import PlainForm
from labeling.web.results.jobs import hand_over

READABLE = 20_000


class ReleaseForm(PlainForm):
    """How a release is to be cited."""

    title = forms.CharField(max_length=160, help_text="As it is to be cited.")
    authors = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="One on each line: Family, Given. These names are published; ask everybody first.",
    )
    licence = forms.ChoiceField(choices=[(one, one) for one in making.LICENCES])
    note = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 3}), label="What is new in it")


@require_http_methods(["GET", "HEAD", "POST"])
@project_page()
def release_list(request: HttpRequest, member: Member) -> HttpResponse:
    """All releases; leads make the next one here."""
    is_lead = member.has(Role.LEAD)
    form = ReleaseForm(request.POST or None, initial=_as_before(member)) if is_lead else None
    if request.method == "POST":
        if form is None:
            raise PermissionDenied
        if form.is_valid():
            try:
                values = form.cleaned_data | {"authors": form.cleaned_data["authors"].splitlines()}
                return hand_over(request, making.ask(lead=member, **values))
            except RefusedError as refused:
                form.add_error(None, str(refused))
    context = {
        "member": member, "project": member.project, "here": "results", "form": form,
        "releases": list(releases(project_id=member.project_id)),
        "under_way": jobs.unfinished(project_id=member.project_id, kind=Job.Kind.RELEASE) if is_lead else None,
    }  # fmt: skip
    status = 422 if form is not None and form.errors else 200
    return render(request, "labeling/results/releases.html", context, status=status)


@require_safe
@project_page()
def release_page(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """One release: how to cite and check it, its method, and what is new against another one."""
    release = _release(member, number)
    context: dict[str, Any] = {
        "member": member, "project": member.project, "here": "results", "release": release,
        "by": name_of(reader=member, other=release.created_by),
        "may_read": may_read(member=member, release=release),
        "others": [one for one in releases(project_id=member.project_id) if one.number != release.number],
    }  # fmt: skip
    if context["may_read"]:
        files = archive.unpack(bytes(release.archive))
        context["files"] = [(name, len(content)) for name, content in sorted(files.items())]
        context["citation"] = files["CITATION.cff"].decode()
        context["method"] = files["METHOD.md"].decode()[:READABLE]
        if other := _compared_with(request, context["others"]):
            context |= {"other": other, "comparison": compare(bytes(other.archive), bytes(release.archive))}
    return render(request, "labeling/results/release.html", context)


@require_safe
@project_page()
def release_file(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """The archive itself."""
    release = _release(member, number)
    if not may_read(member=member, release=release):
        messages.error(request, "It holds votes on issues that still wait for your first opinion.")
        return redirect(reverse("labeling:release", args=[member.project.slug, number]))
    name = f"{member.project.slug}-release-{release.number}.zip"
    return HttpResponse(
        bytes(release.archive),
        content_type="application/zip",
        headers={"Content-Disposition": f'attachment; filename="{name}"', "ETag": f'"{release.sha256}"'},
    )


def _release(member: Member, number: int) -> Release:
    found = releases(project_id=member.project_id).filter(number=number).first()
    if found is None:
        raise Http404
    return found


def _compared_with(request: HttpRequest, others: list[Release]) -> Release | None:
    known = [(str(one.number), one.title) for one in others]
    wanted = chosen(request.GET, "with", known, noun="release to compare with")
    return next((one for one in others if str(one.number) == wanted), None)


def _as_before(member: Member) -> dict[str, str]:
    """The last release's words, or the project's name."""
    last = releases(project_id=member.project_id).first()
    if last is None:
        return {"title": member.project.name}
    return {"title": last.title, "authors": last.authors, "licence": last.licence}
