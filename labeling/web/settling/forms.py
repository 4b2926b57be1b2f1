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

INDENT = "\u2003"


class AxisForm(forms.Form):
    """A form about one axis; axis and action prefix its fields' names, since a page has several."""

    action: ClassVar[str]

    def __init__(self, axis: AxisNodes, data: QueryDict | None = None) -> None:
        super().__init__(data, prefix=f"{axis.axis.code}-{self.action}")
        self.axis = axis.axis


class ChoiceForm(AxisForm):
    """An answer on one axis."""

    action = "revise"
    codes: forms.Field
    is_undecidable = forms.BooleanField(label="The report does not say", required=False)

    def __init__(self, axis: AxisNodes, data: QueryDict | None = None) -> None:
        super().__init__(axis, data)
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
                label="Answer", choices=[("", "Choose …"), *choices], required=False,
                widget=forms.Select(attrs={"class": "form-select"}),
            )  # fmt: skip
        self.order_fields(["codes", "is_undecidable"])

    def choice(self) -> Choice:
        """The answer as it was sent."""
        codes = self.cleaned_data.get("codes") or ()
        if not self.axis.has_nodes:
            return Choice((), self.cleaned_data["is_undecidable"], codes or "")
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
        label="Why the annotators differed", choices=[("", "Choose …"), *Decision.Cause.choices],
        widget=forms.Select(attrs={"class": "form-select"}),
    )  # fmt: skip
    reason = forms.CharField(
        label="Reason for the decision", max_length=MOST_CHARACTERS, help_text="It is published with the decision.",
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


def indented(axis: AxisNodes) -> list[tuple[str, str]]:
    """Codes with names, children indented below their parents."""
    parents = {version.node_id: version.parent_id for version in axis.versions}
    choices = []
    for version in axis.versions:
        depth, parent = 0, version.parent_id
        while parent in parents and depth < len(parents):
            depth, parent = depth + 1, parents[parent]
        choices.append((version.node.code, INDENT * depth + version.name))
    return choices
