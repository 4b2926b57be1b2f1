"""The flags of a round, and a lead's answers to them."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from labeling.models import Member, Pass, Role
from labeling.refusals import missing_as_404
from labeling.selectors import flags as selectors
from labeling.selectors.names import name_of
from labeling.selectors.visible import is_blind
from labeling.services.flags import answer_flag
from labeling.web.access import page_context, project_form, project_page, round_of
from labeling.web.forms import PlainForm, apply_form, form_status, posted_data
from labeling.web.setup.dropping import MOST_CHARACTERS

MOST_SHOWN = 100


class AnswerForm(PlainForm):
    """What the lead says, and what becomes of the issue."""

    answer = forms.CharField(
        max_length=2_000, widget=forms.Textarea(attrs={"rows": 4}), help_text="The annotator alone reads it."
    )
    outcome = forms.TypedChoiceField(
        label="The issue",
        choices=(
            (Pass.Outcome.RETURNED, "Returns to the annotator"),
            (Pass.Outcome.DROPPED, "Is dropped from the round"),
        ),
        coerce=Pass.Outcome,
        widget=forms.RadioSelect,
        initial=Pass.Outcome.RETURNED,
    )
    drop_reason = forms.CharField(
        label="Reason, if it is dropped",
        max_length=MOST_CHARACTERS,
        required=False,
        help_text="Everybody in the project reads it, and every release says it in METHOD.md. Name no votes.",
    )


@project_page(Role.LEAD)
def flags(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """The flags that wait for an answer, and those that have one."""
    round_ = round_of(member, number)
    waiting = selectors.open_flags(member=member, round_=round_)[:MOST_SHOWN]
    answered = selectors.answered_flags(member=member, round_=round_)[:MOST_SHOWN]
    context = page_context(member, "rounds") | {
        "round": round_,
        "is_blind": is_blind(member),
        "waiting": [(name_of(reader=member, other=flag.member), flag) for flag in waiting],
        "answered": [(name_of(reader=member, other=flag.member), flag) for flag in answered],
    }
    return render(request, "labeling/setup/flags.html", context)


@project_form(Role.LEAD)
def answer(request: HttpRequest, member: Member, number: int, pk: int) -> HttpResponse:
    """One flag with the form for its answer; on POST, it is answered and closed."""
    round_ = round_of(member, number)
    with missing_as_404():
        flag = selectors.flag_of(member=member, round_=round_, pk=pk)
    form = AnswerForm(posted_data(request))
    if request.method == "POST" and apply_form(form, lambda: answer_flag(lead=member, flag=flag, **form.cleaned_data)):
        messages.success(request, "The flag is answered and closed.")
        return redirect("labeling:flags", member.project.slug, number)
    context = page_context(member, "rounds") | {
        "round": round_,
        "flag": flag,
        "name": name_of(reader=member, other=flag.member),
        "form": form,
    }
    return render(request, "labeling/setup/answer_flag.html", context, status=form_status(form))
