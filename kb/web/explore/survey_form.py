"""The form of the survey: who somebody is, and a select for each place of each group's ranking."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django import forms
from django.forms import BoundField

from kb.models import SurveyAnswer, SurveyPlace
from kb.priorities.published import ordinal
from kb.priorities.rankings import MOST_PLACES, Ranking, as_ranking, repeats
from kb.selectors.priorities import OwnAnswer, Theme

NOT_OFFERED = "This theme is not offered (any more). Choose another one."
TRAP = "website"
ASKED = {
    SurveyPlace.Group.BUGS: "Which faults press you most?",
    SurveyPlace.Group.REQUIREMENTS: "What do you wish for most?",
    SurveyPlace.Group.QUESTIONS: "What do you most need explained?",
}


class RankedGroup(NamedTuple):
    """One group of the form: its question, its selects, and what its themes mean."""

    group: str
    name: str
    asked: str
    required: bool
    fields: Sequence[BoundField]
    themes: Sequence[Theme]


class TrapForm(forms.Form):
    """A form with a box that people do not see: programs fill in every box."""

    website = forms.CharField(
        label="Leave this empty",
        required=False,
        widget=forms.TextInput(attrs={"tabindex": "-1", "autocomplete": "off"}),
    )

    def clean_website(self) -> str:
        """Refuse what a program sends."""
        if self.cleaned_data["website"]:
            raise forms.ValidationError("This box is there to catch programs. Empty it and send again.")
        return ""


class SurveyForm(TrapForm):
    """Role, experience, and up to five themes of each group; bugs are asked of everybody."""

    role = forms.ChoiceField(
        label="What are you to LLM frameworks?",
        choices=SurveyAnswer.Role.choices,
        widget=forms.RadioSelect(attrs={"class": "form-check-input"}),
        error_messages={"required": "Say whether you use such frameworks, develop them, or both."},
    )
    experience = forms.ChoiceField(
        label="For how long have you worked with them?",
        choices=SurveyAnswer.Experience.choices,
        widget=forms.RadioSelect(attrs={"class": "form-check-input"}),
        error_messages={"required": "Choose for how long."},
    )

    def __init__(self, *args: Any, themes: Mapping[str, Sequence[Theme]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.themes: dict[str, Sequence[Theme]] = {group.value: themes[group] for group in ASKED if group in themes}
        for group, members in self.themes.items():
            choices = [("", "(nothing)"), *((theme.code, f"{theme.name} ({theme.code})") for theme in members)]
            for place in range(1, min(MOST_PLACES, len(members)) + 1):
                self.fields[f"{group}_{place}"] = forms.ChoiceField(
                    label=ordinal(place),
                    choices=choices,
                    required=False,
                    widget=forms.Select(attrs={"class": "form-select"}),
                    error_messages={"invalid_choice": NOT_OFFERED},
                )

    def groups(self) -> Iterator[RankedGroup]:
        """The groups in the order in which they are asked."""
        for group, members in self.themes.items():
            fields = [self[name] for name in self._names(group)]
            kind = SurveyPlace.Group(group)
            yield RankedGroup(group, kind.label, ASKED[kind], kind == SurveyPlace.Group.BUGS, fields, members)

    def clean(self) -> dict[str, Any]:
        """Refuse a theme in two places, and an answer without bugs."""
        for group, members in self.themes.items():
            names = {theme.code: theme.name for theme in members}
            for repeat in repeats(self._places(group)):
                already = f"“{names[repeat.code]}” is your {ordinal(repeat.first)} already."
                self.add_error(f"{group}_{repeat.again}", f"{already} Choose another one here, or nothing.")
        bugs = SurveyPlace.Group.BUGS
        has_errors = any(name in self.errors for name in self._names(bugs))
        if bugs in self.themes and not has_errors and not any(self._places(bugs)):
            self.add_error(f"{bugs}_1", "Choose at least the one to fix first.")
        return self.cleaned_data

    def rankings(self) -> dict[str, Ranking]:
        """The themes by group in their order, without empty places."""
        rankings = {group: as_ranking(self._places(group)) for group in self.themes}
        return {group: ranking for group, ranking in rankings.items() if ranking}

    def wrong(self) -> Iterator[BoundField]:
        """The fields with errors, in the order of the page."""
        fields = [self["role"], self["experience"]]
        for group in self.themes:
            fields += [self[name] for name in self._names(group)]
        yield from (field for field in [*fields, self[TRAP]] if field.errors)

    def _names(self, group: str) -> list[str]:
        """The names of the group's selects."""
        return [f"{group}_{place}" for place in range(1, min(MOST_PLACES, len(self.themes.get(group, ()))) + 1)]

    def _places(self, group: str) -> list[str]:
        return [self.cleaned_data.get(name, "") for name in self._names(group)]


def filled_with(answer: OwnAnswer | None) -> dict[str, str]:
    """An earlier answer as the form's first values."""
    if answer is None:
        return {}
    values = {"role": answer.role, "experience": answer.experience}
    for group, ranking in answer.rankings.items():
        for place, code in enumerate(ranking, start=1):
            values[f"{group}_{place}"] = code
    return values
