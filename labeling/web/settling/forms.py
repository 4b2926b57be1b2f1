"""The forms of a disagreement: an answer on one axis, a post, a first opinion, a decision, reopening.

The services check whether an answer is complete.
"""

from collections.abc import Mapping
from typing import ClassVar

from django import forms
from django.http import QueryDict

from labeling.ballots import Choice
from labeling.models import Decision
from labeling.selectors.codebooks import AxisNodes
from labeling.services.settling import MOST_CHARACTERS
from labeling.web.forms import Initial
from labeling.web.work.axes import in_tree_order

INDENT = "\u2003"


class AxisForm(forms.Form):
    """A form about one axis; axis and action prefix its fields' names, since a page has several."""

    action: ClassVar[str]

    def __init__(self, axis: AxisNodes, data: QueryDict | None = None, initial: Initial | None = None) -> None:
        super().__init__(data, prefix=f"{axis.axis.code}-{self.action}", initial=initial)
        self.axis = axis.axis


class ChoiceForm(AxisForm):
    """An answer on one axis."""

    action = "revise"
    codes: forms.Field
    is_undecidable = forms.BooleanField(label="The report does not say", required=False)

    def __init__(self, axis: AxisNodes, data: QueryDict | None = None, initial: Initial | None = None) -> None:
        super().__init__(axis, data, initial)
        self.several = axis.axis.several
        choices = indented(axis)
        if not axis.axis.has_nodes:
            self.fields["codes"] = forms.CharField(
                label="Number", required=False, max_length=40,
                widget=forms.TextInput(attrs={"class": "form-control", "inputmode": "decimal"}),
            )  # fmt: skip
        elif self.several:
            widget = forms.CheckboxSelectMultiple(attrs={"class": "choices"})
            self.fields["codes"] = forms.MultipleChoiceField(
                label="Answers", choices=choices, required=False, widget=widget
            )
        else:
            self.fields["codes"] = forms.ChoiceField(
                label="Answer", choices=choices, required=False,
                widget=forms.RadioSelect(attrs={"class": "choices"}),
            )  # fmt: skip
        self.order_fields(["codes", "is_undecidable"])

    def choice(self) -> Choice:
        """The answer as it was sent; one of one answer cannot be unticked, so that “does not say” outranks it."""
        codes = self.cleaned_data.get("codes") or ()
        if not self.axis.has_nodes:
            return Choice((), self.cleaned_data["is_undecidable"], codes or "")
        if not self.several and self.cleaned_data["is_undecidable"]:
            codes = ()
        if isinstance(codes, str):
            codes = (codes,)
        return Choice(tuple(codes), self.cleaned_data["is_undecidable"])


class OpinionForm(ChoiceForm):
    """An adjudicator's first opinion."""

    action = "opinion"
    reason = forms.CharField(
        label="Why (optional)", required=False, max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 2, "class": "form-control"}),
    )  # fmt: skip


class DecisionForm(ChoiceForm):
    """An adjudicator's decision."""

    action = "decide"
    cause = forms.ChoiceField(
        label="Why the annotators differed", choices=Decision.Cause.choices,
        widget=forms.RadioSelect(attrs={"class": "choices"}),
    )  # fmt: skip
    reason = forms.CharField(
        label="Reason for the decision", required=False, max_length=MOST_CHARACTERS,
        help_text="Needed where it is not your first opinion, or nobody voted for it. It is published.",
        widget=forms.Textarea(attrs={"rows": 3, "class": "form-control"}),
    )  # fmt: skip


class PostForm(AxisForm):
    """Something to say about an axis."""

    action = "say"
    text = forms.CharField(
        label="Your post", max_length=MOST_CHARACTERS, help_text="Markdown. A post cannot be changed later.",
        widget=forms.Textarea(attrs={"rows": 3, "class": "form-control"}),
    )  # fmt: skip


class ReopenForm(AxisForm):
    """Why a decision is reopened."""

    action = "reopen"
    reason = forms.CharField(
        label="Reason for reopening", max_length=MOST_CHARACTERS, help_text="It stays in the history.",
        widget=forms.Textarea(attrs={"rows": 2, "class": "form-control"}),
    )  # fmt: skip


FORMS: Mapping[str, type[AxisForm]] = {
    form.action: form for form in (PostForm, ChoiceForm, OpinionForm, DecisionForm, ReopenForm)
}


def initial_choice(axis: AxisNodes, choice: Choice) -> Initial:
    """A form's initial values for this answer on the axis."""
    codes = list(choice.codes)
    return {
        "codes": codes if axis.axis.several else "".join(codes[:1]),
        "is_undecidable": choice.is_undecidable,
    }


def indented(axis: AxisNodes) -> list[tuple[str, str]]:
    """Codes with names, children indented below their parents; in the order, and so by the numbers, of the ballot."""
    return [(version.node.code, INDENT * depth + version.name) for version, depth in in_tree_order(axis.versions)]
