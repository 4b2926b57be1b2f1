"""The form by which a round is prepared."""

from collections.abc import Sequence
from typing import Any

from django import forms

from labeling.models import MOST_VOTES, Codebook, Member, Role, Round
from labeling.selectors.codebooks import axes_of
from labeling.services.preparation import MOST_HOLD_MINUTES, Plan
from labeling.web.answers import PlainForm
from labeling.web.setup.words import KINDS, RELEASES, RULES


def explained(choices: type[Any], texts: dict[Any, str], values: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Choices with what each means."""
    return [(one.value, f"{one.label}. {texts[one]}") for one in choices if not values or one.value in values]


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
    name = forms.CharField(max_length=80, help_text="Such as: Pilot 1.")
    votes_wanted = forms.IntegerField(
        label="Votes on every issue", min_value=1, max_value=MOST_VOTES, initial=2,
        help_text="By so many different people. It can be changed later.",
    )  # fmt: skip
    seniors_wanted = forms.IntegerField(label="Of these, from seniors", min_value=0, max_value=MOST_VOTES, initial=0)
    annotators = Annotators(
        label="Who labels",
        queryset=Member.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Choose nobody, and all annotators of the project label, also those who join later.",
    )
    rule = forms.TypedChoiceField(
        choices=explained(Round.Rule, RULES), coerce=Round.Rule, widget=forms.RadioSelect, initial=Round.Rule.MAJORITY
    )
    release = forms.TypedChoiceField(
        label="When votes are no secret any more",
        choices=[(value, RELEASES[value]) for value in Round.Release],
        coerce=Round.Release,
        widget=forms.RadioSelect,
        initial=Round.Release.ROUND,
    )
    excluding = forms.MultipleChoiceField(
        label="Answers that exclude an issue",
        required=False,
        widget=forms.SelectMultiple(attrs={"size": 8}),
        help_text="An issue is excluded only if every vote on it names one of these. Several: hold Ctrl or ⌘.",
    )
    hold_minutes = forms.IntegerField(
        label="How many minutes an issue is kept for somebody", min_value=1, max_value=MOST_HOLD_MINUTES, initial=60,
        help_text="After that somebody else may take it; drafts are kept.",
    )  # fmt: skip
    deadline = forms.DateField(
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text="Nothing closes by itself on that day.",
    )
    gate_round = Rounds(
        label="The round that comes first", queryset=Round.objects.none(), required=False,
        empty_label="No gate",
    )  # fmt: skip
    gate_measure = forms.ChoiceField(
        label="Its agreement, measured by", choices=[("", "No gate"), *Round.Measure.choices], required=False
    )
    gate_at_least = forms.FloatField(
        label="Must be at least, on every axis", min_value=0, max_value=1, required=False,
        widget=forms.NumberInput(attrs={"step": "0.01"}),
        help_text="Such as 0.7. The round cannot be opened before.",
    )  # fmt: skip

    def __init__(
        self, *args: Any, lead: Member, codebook: Codebook, number: int, kinds: Sequence[str], **kw: Any
    ) -> None:
        super().__init__(*args, **kw)
        self.fields["kind"].choices = explained(Round.Kind, KINDS, kinds)  # type: ignore[attr-defined]
        people = Member.objects.filter(project=lead.project_id, left_at=None, roles__contains=[Role.ANNOTATOR])
        self.fields["annotators"].queryset = people.select_related("user").order_by("pk")  # type: ignore[attr-defined]
        earlier = Round.objects.filter(project=lead.project_id, number__lt=number).order_by("number")
        self.fields["gate_round"].queryset = earlier  # type: ignore[attr-defined]
        axes = axes_of(codebook=codebook)
        self._nodes = {str(version.node_id): version.node for one in axes for version in one.versions}
        self.fields["excluding"].choices = [  # type: ignore[attr-defined]
            (one.axis.name, [(str(version.node_id), version.name) for version in one.versions]) for one in axes
        ]

    def plan(self) -> Plan:
        """The plan as it was filled in; the form must be valid."""
        values = self.cleaned_data
        return Plan(
            **values | {
                "annotators": list(values["annotators"]),
                "excluding": [self._nodes[key] for key in values["excluding"]],
            }
        )  # fmt: skip


def initial_of(round_: Round) -> dict[str, Any]:
    """What the form shows of a round that is there."""
    columns = {
        field: getattr(round_, field) for field in RoundForm.base_fields if field not in ("annotators", "excluding")
    }
    return columns | {
        "annotators": list(round_.annotators.all()),
        "excluding": [str(pk) for pk in round_.excluding.values_list("pk", flat=True)],
    }
