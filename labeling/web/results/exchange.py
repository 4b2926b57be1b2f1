"""Votes out and in: downloads of what the reader may see, and a file's dry run before it is taken in."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from kb.exports.tables import csv_lines
from kb.web.parameters import chosen
from labeling.exchange import export as exporting
from labeling.exchange import intake as importing
from labeling.exchange.serialize import WRITERS
from labeling.exchange.values import Options
from labeling.models import Job, Member, ProjectAxis, Role, Round, VoteImport
from labeling.refusals import RefusedError
from labeling.services import jobs
from labeling.web.access import project_page
from labeling.web.answers import PlainForm
from labeling.web.results.jobs import hand_over


class ImportForm(PlainForm):
    """A file with votes."""

    name = forms.CharField(max_length=80, label="Name of the round")
    format = forms.ChoiceField(choices=VoteImport.Format.choices)
    file = forms.FileField(help_text=f"UTF-8, at most {importing.MOST_BYTES // 1_000_000} MB.")
    axis = forms.ChoiceField(
        required=False, label="Question that it answers", help_text="Where the file does not say it itself."
    )
    leave_out = forms.CharField(
        required=False, label="Columns to leave out", help_text="Names parted by commas: such as a final label."
    )

    def __init__(self, *args: Any, member: Member, **kwargs: Any) -> None:
        """With the project's questions."""
        super().__init__(*args, **kwargs)
        axes = ProjectAxis.objects.filter(project=member.project_id).order_by("position")
        choices = [("", "The file says it"), *axes.values_list("code", "name")]
        axis = self.fields["axis"]
        if isinstance(axis, forms.ChoiceField):
            axis.choices = choices


@require_http_methods(["GET", "HEAD", "POST"])
@project_page()
def exchange(request: HttpRequest, member: Member) -> HttpResponse:
    """Downloads for everybody; for leads also the files that came in, and a form for the next one."""
    is_lead = member.has(Role.LEAD)
    if request.method == "POST" and not is_lead:
        raise PermissionDenied
    form = ImportForm(request.POST or None, request.FILES or None, member=member) if is_lead else None
    if request.method == "POST" and form is not None and form.is_valid() and (done := _kept(request, member, form)):
        return done
    rounds = Round.objects.filter(project=member.project_id).exclude(state=Round.State.DRAFT)
    context = {
        "member": member, "project": member.project, "here": "results", "form": form,
        "rounds": rounds.order_by("-number"), "formats": VoteImport.Format.choices,
        "imports": _imports(member).order_by("-created_at")[:50] if is_lead else (),
    }  # fmt: skip
    status = 422 if form is not None and form.errors else 200
    return render(request, "labeling/results/exchange.html", context, status=status)


@require_safe
@project_page()
def export(request: HttpRequest, member: Member, format_: str) -> HttpResponseBase:
    """The votes that the reader may see now, of one round or of all, as a file."""
    if format_ not in WRITERS:
        raise Http404
    rounds = Round.objects.filter(project=member.project_id).exclude(state=Round.State.DRAFT)
    known = [(str(number), name) for number, name in rounds.values_list("number", "name")]
    wanted = chosen(request.GET, "round", known, noun="round")
    if wanted:
        rounds = rounds.filter(number=int(wanted))
    _, kind, ending = WRITERS[format_]
    text = exporting.export(member=member, rounds=list(rounds), format_=format_)
    response = StreamingHttpResponse(text, content_type=f"{kind}; charset=utf-8")
    which = f"round-{wanted}" if wanted else "all-rounds"
    name = f"{member.project.slug}-{which}-{format_.replace('_', '-')}.{ending}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@project_page(Role.LEAD)
def import_page(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """What a file would give, who is who in it, and taking it in."""
    found = _import(member, number)
    if request.method == "POST":
        try:
            people = {name: _chosen(request, place) for place, name in enumerate(found.report["people"])}
            return hand_over(request, importing.ask(lead=member, found=found, people=people))
        except RefusedError as refused:
            messages.error(request, str(refused))
            return redirect("labeling:import", member.project.slug, number)
    members = list(Member.objects.filter(project=member.project_id).select_related("user").order_by("pk"))
    shown = [(name, votes, found.people.get(name)) for name, votes in found.report["people"].items()]
    context = {
        "member": member, "project": member.project, "here": "results", "found": found, "people": shown,
        "members": members, "job": _job(found),
    }  # fmt: skip
    return render(request, "labeling/results/import.html", context)


@require_safe
@project_page(Role.LEAD)
def rejected(request: HttpRequest, member: Member, number: int) -> HttpResponse:  # noqa: ARG001 as every view
    """Every line that cannot be taken, with its reason, as CSV."""
    found = _import(member, number)
    lines = ((one.line, one.reason) for one in importing.plan_of(found).rejected)
    content = "".join(csv_lines([("line", "reason"), *lines]))
    headers = {"Content-Disposition": f'attachment; filename="rejected-lines-{number}.csv"'}
    return HttpResponse(content, content_type="text/csv; charset=utf-8", headers=headers)


def _kept(request: HttpRequest, member: Member, form: ImportForm) -> HttpResponse | None:
    """On to the dry run; nothing where the file was refused, and the form says why."""
    values = form.cleaned_data
    upload = values["file"]
    if upload.size > importing.MOST_BYTES:
        form.add_error("file", f"The file has more than {importing.MOST_BYTES // 1_000_000} MB.")
        return None
    left_out = tuple(name.strip() for name in values["leave_out"].split(",") if name.strip())
    try:
        found, is_new = importing.keep_file(
            lead=member, content=upload.read(), filename=upload.name, format_=values["format"], name=values["name"],
            options=Options(values["axis"], left_out),
        )  # fmt: skip
    except RefusedError as refused:
        form.add_error("file", str(refused))
        return None
    if not is_new:
        messages.info(request, "This file is here already: nothing was added.")
    return redirect("labeling:import", member.project.slug, found.pk)


def _imports(member: Member) -> QuerySet[VoteImport]:
    return VoteImport.objects.filter(project=member.project_id).defer("content").select_related("round", "codebook")


def _import(member: Member, number: int) -> VoteImport:
    found: VoteImport | None = _imports(member).filter(pk=number).first()
    if found is None:
        raise Http404
    return found


def _chosen(request: HttpRequest, place: int) -> int | None:
    text = request.POST.get(f"person-{place}", "")
    return int(text) if text.isdecimal() and len(text) < 19 else None


def _job(found: VoteImport) -> Job | None:
    """The job that takes the file in, if it waits or runs."""
    job = jobs.unfinished(project_id=found.project_id, kind=Job.Kind.IMPORT)
    return job if job is not None and job.arguments.get("import") == found.pk else None
