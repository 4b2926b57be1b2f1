"""Votes out and in: downloads of what the reader may see, and a file's dry run before it is imported."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render

from kb.exports.tables import csv_lines
from kb.http.downloads import download, streamed
from kb.web.parameters import chosen
from labeling.exchange import export as exporting
from labeling.exchange import intake
from labeling.exchange.serialize import WRITERS
from labeling.exchange.values import Options
from labeling.models import Job, Member, Role, VoteImport
from labeling.refusals import RefusedError, missing_as_404
from labeling.selectors.axes import axis_names
from labeling.selectors.round_lists import opened_rounds
from labeling.selectors.team import team
from labeling.selectors.vote_imports import vote_import, vote_imports
from labeling.services import jobs
from labeling.web.access import page_context, project_form, project_page
from labeling.web.forms import PlainForm, form_status, number_from
from labeling.web.results.jobs import hand_over

SHOWN_IMPORTS = 50


class ImportForm(PlainForm):
    """A file with votes."""

    name = forms.CharField(max_length=80, label="Name of the round")
    format = forms.ChoiceField(choices=VoteImport.Format.choices)
    file = forms.FileField(help_text=f"UTF-8, at most {intake.MOST_BYTES // 1_000_000} MB.")
    axis = forms.ChoiceField(
        required=False, label="Question that it answers", help_text="If the file does not state it."
    )
    leave_out = forms.CharField(
        required=False, label="Columns to skip", help_text="Comma-separated names, for example of a final label."
    )

    def __init__(self, *args: Any, member: Member, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        axes = axis_names(project_id=member.project_id)
        self.fields["axis"].choices = [("", "Stated in the file"), *axes.items()]  # type: ignore[attr-defined]


@project_form()
def exchange(request: HttpRequest, member: Member) -> HttpResponse:
    """Downloads for everybody; for leads also the files that came in, and a form for the next one."""
    is_lead = member.has(Role.LEAD)
    if request.method == "POST" and not is_lead:
        raise PermissionDenied
    form = ImportForm(request.POST or None, request.FILES or None, member=member) if is_lead else None
    if request.method == "POST" and form is not None and form.is_valid():
        response = _keep_file(request, member, form)
        if response is not None:
            return response
    context = page_context(member, "results") | {
        "form": form,
        "rounds": opened_rounds(member=member),
        "formats": VoteImport.Format.choices,
        "imports": vote_imports(member=member)[:SHOWN_IMPORTS] if is_lead else (),
    }
    return render(request, "labeling/results/exchange.html", context, status=form_status(form))


@project_page()
def export(request: HttpRequest, member: Member, format_: str) -> HttpResponseBase:
    """The votes that the reader may see now, of one round or of all, as a file."""
    if format_ not in WRITERS:
        raise Http404
    rounds = {str(round_.number): round_ for round_ in opened_rounds(member=member)}
    names = [(number, round_.name) for number, round_ in rounds.items()]
    number = chosen(request.GET, "round", reversed(names), noun="round")
    selected = [rounds[number]] if number else list(rounds.values())
    _, content_type, extension = WRITERS[format_]
    text = exporting.export(member=member, rounds=selected, format_=format_)
    part = f"round-{number}" if number else "all-rounds"
    return streamed(f"{member.project.slug}-{part}-{format_.replace('_', '-')}.{extension}", text, content_type)


@project_form(Role.LEAD)
def import_page(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """What a file would give, who is who in it, and importing it."""
    with missing_as_404():
        file = vote_import(member=member, pk=number)
    names = file.report["people"]
    if request.method == "POST":
        people = {}
        for index, name in enumerate(names):
            people[name] = number_from(request.POST.get(f"person-{index}", ""), 0, digits=18) or None
        try:
            return hand_over(request, intake.ask(lead=member, found=file, people=people))
        except RefusedError as refused:
            messages.error(request, str(refused))
            return redirect("labeling:import", member.project.slug, number)
    job = jobs.unfinished(project_id=member.project_id, kind=Job.Kind.IMPORT)
    if job is not None and job.arguments.get("import") != file.pk:
        job = None
    context = page_context(member, "results") | {
        "found": file,
        "people": [(name, votes, file.people.get(name)) for name, votes in names.items()],
        "members": sorted(team(member=member), key=lambda person: person.pk),
        "job": job,
    }
    return render(request, "labeling/results/import.html", context)


@project_page(Role.LEAD)
def rejected(request: HttpRequest, member: Member, number: int) -> HttpResponse:  # noqa: ARG001 as every view
    """Every line that cannot be imported, with its reason, as CSV."""
    with missing_as_404():
        file = vote_import(member=member, pk=number)
    lines = [(row.line, row.reason) for row in intake.plan_of(file).rejected]
    return download(f"rejected-lines-{number}.csv", "".join(csv_lines([("line", "reason"), *lines])))


def _keep_file(request: HttpRequest, member: Member, form: ImportForm) -> HttpResponse | None:
    """Keep the file and redirect to its dry run; None where it was refused, and the form says why."""
    values = form.cleaned_data
    upload = values["file"]
    if upload.size > intake.MOST_BYTES:
        form.add_error("file", f"The file has more than {intake.MOST_BYTES // 1_000_000} MB.")
        return None
    left_out = tuple(name.strip() for name in values["leave_out"].split(",") if name.strip())
    try:
        file, is_new = intake.keep_file(
            lead=member, content=upload.read(), filename=upload.name, format_=values["format"], name=values["name"],
            options=Options(values["axis"], left_out),
        )  # fmt: skip
    except RefusedError as refused:
        form.add_error("file", str(refused))
        return None
    if not is_new:
        messages.info(request, "This file was already imported: nothing was added.")
    return redirect("labeling:import", member.project.slug, file.pk)
