"""Releases: the list and making one, one release with its files, its download, and two side by side."""

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from kb.web.markup.markdown import render_document
from kb.web.parameters import chosen
from labeling.models import Job, Member, Role
from labeling.refusals import RefusedError, missing_as_404
from labeling.releases import archive, build
from labeling.releases.comparison import compare
from labeling.selectors.names import name_of
from labeling.selectors.releases import may_read, release_of, releases
from labeling.services import jobs
from labeling.web.access import page_context, project_form, project_page
from labeling.web.forms import PlainForm, form_status
from labeling.web.results.jobs import hand_over

READABLE = 20_000


class ReleaseForm(PlainForm):
    """How a release is to be cited."""

    title = forms.CharField(max_length=160, help_text="As it should be cited.")
    authors = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="One per line: Family, Given. These names are published; ask everybody first.",
    )
    licence = forms.ChoiceField(choices=[(licence, licence) for licence in build.LICENCES])
    note = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 3}), label="What changed")


@project_form()
def release_list(request: HttpRequest, member: Member) -> HttpResponse:
    """All releases; leads make the next one here."""
    is_lead = member.has(Role.LEAD)
    if request.method == "POST" and not is_lead:
        raise PermissionDenied
    earlier = list(releases(project_id=member.project_id))
    form = None
    if is_lead:
        initial = {"title": member.project.name}
        if earlier:
            last = earlier[0]
            initial = {"title": last.title, "authors": last.authors, "licence": last.licence}
        form = ReleaseForm(request.POST or None, initial=initial)
    if request.method == "POST" and form is not None and form.is_valid():
        values = form.cleaned_data | {"authors": form.cleaned_data["authors"].splitlines()}
        try:
            return hand_over(request, build.ask(lead=member, **values))
        except RefusedError as refused:
            form.add_error(None, str(refused))
    context = page_context(member, "results") | {
        "form": form,
        "releases": earlier,
        "under_way": jobs.unfinished(project_id=member.project_id, kind=Job.Kind.RELEASE) if is_lead else None,
    }
    return render(request, "labeling/results/releases.html", context, status=form_status(form))


@project_page()
def release_page(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """One release: how to cite and check it, its method, and what is new against another one."""
    with missing_as_404():
        release = release_of(member=member, number=number)
    others = {str(other.number): other for other in releases(project_id=member.project_id) if other != release}
    context = page_context(member, "results") | {
        "release": release,
        "by": name_of(reader=member, other=release.created_by),
        "may_read": may_read(member=member, release=release),
        "others": list(others.values()),
    }
    if context["may_read"]:
        files = archive.unpack(bytes(release.archive))
        context["files"] = [(name, len(content)) for name, content in sorted(files.items())]
        context["citation"] = files["CITATION.cff"].decode()
        _title, _, method = files["METHOD.md"].decode()[:READABLE].partition("\n\n")
        context["method"] = render_document(method)
        titles = [(value, other.title) for value, other in others.items()]
        value = chosen(request.GET, "with", titles, noun="release to compare with")
        if value:
            other = others[value]
            context |= {"other": other, "comparison": compare(bytes(other.archive), bytes(release.archive))}
    return render(request, "labeling/results/release.html", context)


@project_page()
def release_file(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """The archive itself."""
    with missing_as_404():
        release = release_of(member=member, number=number)
    if not may_read(member=member, release=release):
        messages.error(request, "It holds votes on issues that still wait for your first opinion.")
        return redirect(reverse("labeling:release", args=[member.project.slug, number]))
    name = f"{member.project.slug}-release-{release.number}.zip"
    return HttpResponse(
        bytes(release.archive),
        content_type="application/zip",
        headers={"Content-Disposition": f'attachment; filename="{name}"', "ETag": f'"{release.sha256}"'},
    )
