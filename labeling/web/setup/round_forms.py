"""The form by which a round is prepared."""

from collections.abc import Sequence
from typing import Any

from django import forms

from labeling.models import (
    LEAST_HELD,
    MOST_AFTER,
    MOST_HELD,
    MOST_REPEATS,
    MOST_VOTES,
    REPEATED_AFTER,
    Codebook,
    Member,
    Round,
)
from labeling.selectors.round_lists import chosen_annotators, earlier_rounds
from labeling.selectors.team import annotators
from labeling.services.discussions import MOST_DAYS
from labeling.services.preparation import MOST_HOLD_MINUTES, Plan
from labeling.web.choices import node_choices
from labeling.web.forms import Initial, PlainForm
from labeling.web.setup.round_texts import KINDS, RELEASES, RULES


class Annotators(forms.ModelMultipleChoiceField[Member]):
    """Annotators of the project by the names the team knows."""

    def label_from_instance(self, obj: Member) -> str:
        """The name, and the mark of a senior."""
        return f"{obj.called} (senior)" if obj.is_senior else obj.called


class Rounds(forms.ModelChoiceField[Round]):
    """Earlier rounds."""

    def label_from_instance(self, obj: Round) -> str:
        """Number and name."""
        return f"Round {obj.number}: {obj.called}"


class RoundForm(PlainForm):
    """What is decided about a round before it opens."""

    kind = forms.TypedChoiceField(coerce=Round.Kind, widget=forms.RadioSelect)
    name = forms.CharField(max_length=80, help_text="For example: Pilot 1.")
    votes_wanted = forms.IntegerField(
        label="Votes on every issue", min_value=1, max_value=MOST_VOTES, initial=2,
        help_text="Each by a different person. You can change it later.",
    )  # fmt: skip
    seniors_wanted = forms.IntegerField(label="Of these, by seniors", min_value=0, max_value=MOST_VOTES, initial=0)
    annotators = Annotators(
        label="Who labels",
        queryset=None,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Leave empty for all annotators of the project, including those who join later.",
    )
    rule = forms.TypedChoiceField(
        choices=[(rule.value, f"{rule.label}. {RULES[rule]}") for rule in Round.Rule],
        coerce=Round.Rule,
        widget=forms.RadioSelect,
        initial=Round.Rule.MAJORITY,
    )
    discussion_days = forms.IntegerField(
        label="Days for a discussion", min_value=1, max_value=MOST_DAYS, initial=14, required=False,
        help_text="Only where discussion comes first: from an issue's release on. Empty: no deadline.",
    )  # fmt: skip
    release = forms.TypedChoiceField(
        label="When votes are revealed",
        choices=[(value, RELEASES[value]) for value in Round.Release],
        coerce=Round.Release,
        widget=forms.RadioSelect,
        initial=Round.Release.ROUND,
    )
    excluding = forms.MultipleChoiceField(
        label="Answers that exclude an issue",
        required=False,
        widget=forms.SelectMultiple(attrs={"size": 8}),
        help_text="By the rule “unanimous” every vote on an issue has to give one of these, by “majority” or after a "
        "discussion more than half. Hold Ctrl or ⌘ to choose several.",
    )
    hold_minutes = forms.IntegerField(
        label="Minutes an issue stays reserved", min_value=1, max_value=MOST_HOLD_MINUTES, initial=60,
        help_text="After that, someone else may take it; drafts are kept.",
    )  # fmt: skip
    places_held = forms.IntegerField(
        label="Issues one person may hold at the same time", min_value=LEAST_HELD, max_value=MOST_HELD, initial=3,
        help_text="Held: reserved, without a vote. Who comes back to drafts may hold several.",
    )  # fmt: skip
    repeats = forms.IntegerField(
        label="Of their own issues, everybody meets again", min_value=0, max_value=MOST_REPEATS, initial=0,
        help_text="How far people agree with themselves. A repeat looks like any other issue and is no vote. 0: none.",
    )  # fmt: skip
    repeats_after = forms.IntegerField(
        label="After how many other votes, at the least", min_value=1, max_value=MOST_AFTER, initial=REPEATED_AFTER
    )  # fmt: skip
    deadline = forms.DateField(
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text="The round does not close automatically on that day.",
    )
    gate_round = Rounds(
        label="Round that must come first", queryset=None, required=False,
        empty_label="No gate",
    )  # fmt: skip
    gate_measure = forms.ChoiceField(
        label="Agreement measure", choices=[("", "No gate"), *Round.Measure.choices], required=False
    )
    gate_at_least = forms.FloatField(
        label="Minimum, on every axis", min_value=0, max_value=1, required=False,
        widget=forms.NumberInput(attrs={"step": "0.01"}),
        help_text="For example 0.7. The round cannot be opened before.",
    )  # fmt: skip

    def __init__(
        self, *args: Any, lead: Member, codebook: Codebook, number: int, kinds: Sequence[Round.Kind], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self._nodes, nodes = node_choices(codebook)
        kind_choices = [(kind.value, f"{kind.label}. {KINDS[kind]}") for kind in kinds]
        self.fields["kind"].choices = kind_choices  # type: ignore[attr-defined]
        self.fields["annotators"].queryset = annotators(member=lead)  # type: ignore[attr-defined]
        self.fields["excluding"].choices = nodes  # type: ignore[attr-defined]
        earlier = earlier_rounds(member=lead, number=number)
        self.fields["gate_round"].queryset = earlier  # type: ignore[attr-defined]

    def plan(self) -> Plan:
        """The plan as filled in; the form must be valid."""
        values = dict(self.cleaned_data)
        values["annotators"] = list(values["annotators"])
        values["excluding"] = [self._nodes[key] for key in values["excluding"]]
        return Plan(**values)


def initial_of(round_: Round) -> Initial:
    """The form's values for an existing round."""
    values: Initial = {
        "annotators": chosen_annotators(round_=round_),
        "excluding": [str(node.pk) for node in round_.excluding.all()],
    }
    for field in RoundForm.base_fields:
        if field not in values:
            values[field] = getattr(round_, field)
    return values
