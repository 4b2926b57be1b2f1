"""What is made of the board of open coding: the codebook, what votes would have been by its nodes, and files."""

import json
from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.text import slugify

from kb.exports.tables import csv_lines
from kb.http.downloads import streamed
from labeling.models import AxisKind, Member, Role
from labeling.questions import MOST_NAME
from labeling.selectors import coding as selectors
from labeling.selectors.coding_mapped import mapped_votes
from labeling.selectors.coding_rows import CODE_COLUMNS, downloaded_rows
from labeling.services.coding_codebook import make_codebook, open_questions
from labeling.web.access import page_context, project_form, project_page
from labeling.web.coding.board import open_axis
from labeling.web.forms import PlainForm, apply_form, form_status, posted_data
from labeling.web.results.agreement_rows import number_of

AXIS_CODE = 30
KINDS = [(kind.value, kind.label) for kind in (AxisKind.ONE, AxisKind.SEVERAL)]
SHOWN = ("percent", "alpha_nominal", "alpha_masi")


class CodebookForm(PlainForm):
    """The question that the board's nodes answer, and the open questions that end."""

    name = forms.CharField(label="Called", max_length=MOST_NAME, help_text="For example: Root cause.")
    question = forms.CharField(
        label="What it asks", required=False, max_length=1_000, help_text="Annotators read it above the answers."
    )
    kind = forms.ChoiceField(label="An issue gets", choices=KINDS, initial=AxisKind.ONE)
    ends = forms.MultipleChoiceField(
        label="No longer asked", required=False, widget=forms.CheckboxSelectMultiple,
        help_text="Rounds that are prepared from now on leave these out. Answers that are there stay.",
    )  # fmt: skip

    def __init__(self, *args: Any, member: Member, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(axis.code, axis.name) for axis in open_questions(project_id=member.project_id)]
        self.fields["ends"].choices = choices  # type: ignore[attr-defined]
        self.fields["ends"].initial = [code for code, _ in choices]

    def make(self, lead: Member) -> object:
        """Make the codebook. Raises RefusedError."""
        values = self.cleaned_data
        code = slugify(values["name"]).replace("-", "_")[:AXIS_CODE].strip("_")
        return make_codebook(
            lead=lead, code=code, name=values["name"], question=values["question"], kind=values["kind"],
            ends=values["ends"],
        )  # fmt: skip


@project_form(Role.LEAD)
def codebook(request: HttpRequest, member: Member) -> HttpResponse:
    """Make the next codebook of the board's nodes."""
    board = selectors.board_of(axis=open_axis(member))
    form = CodebookForm(posted_data(request), member=member)
    if request.method == "POST" and apply_form(form, lambda: form.make(member)):
        messages.success(
            request, "The newest codebook asks for your nodes. Rounds that are prepared from now on use it."
        )
        return redirect("labeling:codebook", member.project.slug)
    free = sum(not board.node_of(key) for key in board.codes)
    context = page_context(member, "codebook") | {"form": form, "nodes": board.nodes.values(), "free": free}
    return render(request, "labeling/coding/codebook.html", context, status=form_status(form))


@project_page()
def mapping(request: HttpRequest, member: Member) -> HttpResponse:
    """What each vote would have been by the nodes, and the agreement after merging."""
    mapped = mapped_votes(axis=open_axis(member))
    numbers = []
    if mapped.report:
        numbers = [number_of(each) for each in mapped.report.coefficients if each.key in SHOWN]
    context = page_context(member, "codebook") | {"mapped": mapped, "coefficients": numbers}
    return render(request, "labeling/coding/mapped.html", context)


@project_page()
def download_codes(request: HttpRequest, member: Member, format_: str) -> HttpResponseBase:  # noqa: ARG001 as all views
    """Every code as it was written, with where it is on the board."""
    lines: Iterable[str]
    rows = downloaded_rows(axis=open_axis(member))
    if format_ == "csv":
        lines, media = csv_lines([CODE_COLUMNS, *rows]), "text/csv"
    else:
        records = (dict(zip(CODE_COLUMNS, row, strict=True)) for row in rows)
        lines, media = (json.dumps(row, ensure_ascii=False) + "\n" for row in records), "application/jsonl"
    return streamed(f"{member.project.slug}-codes.{format_}", lines, media)
