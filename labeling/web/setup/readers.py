"""Readers of a round: files of model answers, and whether ballots show one of them. What comes of it: `influence`."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from kb.exports.tables import csv_lines
from kb.http.downloads import download
from labeling.exchange import readers as services
from labeling.models import LEAST_PERCENT, MOST_PERCENT, Member, Reader, Role, Round
from labeling.refusals import RefusedError, missing_as_404
from labeling.selectors import readers as selectors
from labeling.web.access import page_context, project_action, project_form, project_page, round_of
from labeling.web.forms import PlainForm, act_and_redirect, form_status, posted_data, redirect_with_errors


class ReaderForm(PlainForm):
    """A file of a model's answers, and what is said of it."""

    name = forms.CharField(max_length=80, label="Name of the model")
    version = forms.CharField(max_length=80, required=False)
    answered_on = forms.DateField(
        label="Day of its answers", required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    note = forms.CharField(
        max_length=200, required=False, help_text="The prompt's SHA-256, or what else tells how it was asked."
    )
    cost = forms.CharField(max_length=40, required=False, help_text="For example 12.40 USD.")
    format_ = forms.ChoiceField(label="Format", choices=services.FORMATS.items())
    file = forms.FileField(
        help_text=f"Issue, axis and nodes, as exports of votes name them. UTF-8, at most "
        f"{services.MOST_BYTES // 1_000_000} MB."
    )


class AssistForm(PlainForm):
    """Whether ballots show a reader's answers, and how many of them."""

    reader: forms.ModelChoiceField[Reader] = forms.ModelChoiceField(
        label="Ballots show the answers of", queryset=None, required=False, empty_label="Nobody"
    )
    percent = forms.IntegerField(
        label="Per cent of the ballots", min_value=LEAST_PERCENT, max_value=MOST_PERCENT, initial=50,
        help_text="The others stay blind, and only they count for agreement: it needs two blind votes on an issue.",
    )  # fmt: skip

    def __init__(self, *args: Any, member: Member, round_: Round, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        stored = selectors.stored_readers(member=member, round_=round_)
        self.fields["reader"].queryset = stored  # type: ignore[attr-defined]


@project_form(Role.LEAD)
def readers(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """The round's readers, and a form for the next one; on POST, check a file."""
    round_ = round_of(member, number)
    form = ReaderForm(posted_data(request), request.FILES or None)
    if request.method == "POST" and form.is_valid():
        response = _keep_file(request, member, round_, form)
        if response is not None:
            return response
    assisting = selectors.assisting(round_=round_)
    initial = {"reader": assisting, "percent": assisting.assist_percent if assisting else 50}
    context = page_context(member, "rounds") | {
        "round": round_,
        "is_hidden": selectors.hides_readers(member=member, round_=round_),
        "readers": selectors.readers_of(member=member, round_=round_),
        "assisting": assisting,
        "form": form,
        "assist_form": AssistForm(initial=initial, member=member, round_=round_),
    }
    return render(request, "labeling/setup/readers.html", context, status=form_status(form))


@project_action(Role.LEAD)
def assist(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Show a reader's answers on some of the round's ballots, or on none."""
    round_ = round_of(member, number)
    form = AssistForm(request.POST, member=member, round_=round_)
    to = reverse("labeling:readers", args=[member.project.slug, number])
    if not form.is_valid():
        return redirect_with_errors(request, form, to)
    values = form.cleaned_data
    return act_and_redirect(
        request, lambda: services.set_assistance(lead=member, round_=round_, **values), "Saved.", to
    )


@project_action(Role.LEAD)
def rules(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Store what the knowledge base's rules suggest."""
    round_ = round_of(member, number)
    to = reverse("labeling:readers", args=[member.project.slug, number])
    return act_and_redirect(request, lambda: services.take_rules(lead=member, round_=round_), "Stored.", to)


@project_page(Role.LEAD)
def reader(request: HttpRequest, member: Member, number: int, pk: int) -> HttpResponse:
    """What a file gives, and the lines that it does not."""
    round_ = round_of(member, number)
    context = page_context(member, "rounds") | {"round": round_, "reader": _reader(member, round_, pk)}
    return render(request, "labeling/setup/reader.html", context)


@project_page(Role.LEAD)
def rejected(request: HttpRequest, member: Member, number: int, pk: int) -> HttpResponse:  # noqa: ARG001 as every view
    """Every line that gives no answer, with its reason, as CSV."""
    lines = services.plan_of(_reader(member, round_of(member, number), pk)).rejected
    content = "".join(csv_lines([("line", "reason"), *((row.line, row.reason) for row in lines)]))
    return download(f"rejected-lines-{pk}.csv", content)


@project_action(Role.LEAD)
def take(request: HttpRequest, member: Member, number: int, pk: int) -> HttpResponse:
    """Store the file's answers."""
    row = _reader(member, round_of(member, number), pk)
    to = reverse("labeling:readers", args=[member.project.slug, number])
    success = f"The answers of {row.called} are stored."
    return act_and_redirect(request, lambda: services.take_answers(lead=member, reader=row), success, to)


@project_action(Role.LEAD)
def remove(request: HttpRequest, member: Member, number: int, pk: int) -> HttpResponse:
    """Remove a reader with its answers."""
    row = _reader(member, round_of(member, number), pk)
    to = reverse("labeling:readers", args=[member.project.slug, number])
    success = f"{row.called} is removed."
    return act_and_redirect(request, lambda: services.remove_reader(lead=member, reader=row), success, to)


def _reader(member: Member, round_: Round, pk: int) -> Reader:
    with missing_as_404():
        return selectors.reader_of(member=member, round_=round_, pk=pk)


def _keep_file(request: HttpRequest, member: Member, round_: Round, form: ReaderForm) -> HttpResponse | None:
    """Keep the file and redirect to its dry run; None where it was refused, and the form says why."""
    values = dict(form.cleaned_data)
    upload, format_ = values.pop("file"), values.pop("format_")
    if upload.size > services.MOST_BYTES:
        form.add_error("file", f"The file has more than {services.MOST_BYTES // 1_000_000} MB.")
        return None
    try:
        row, is_new = services.keep_file(
            lead=member, round_=round_, content=upload.read(), filename=upload.name, format_=format_,
            about=services.About(**values),
        )  # fmt: skip
    except RefusedError as refused:
        form.add_error("file", str(refused))
        return None
    if not is_new:
        messages.info(request, "This file is there already: nothing was added.")
    return redirect("labeling:reader", member.project.slug, round_.number, row.pk)
