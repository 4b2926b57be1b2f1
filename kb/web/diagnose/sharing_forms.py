"""The forms of sharing, of feedback and of its review."""

from typing import Any

from django import forms
from django.template.defaultfilters import pluralize

from kb.core.addresses import BadAddressError, issue_address, parse_issue_address
from kb.core.redaction import Kind
from kb.diagnose.feedback import Feedback, Thing
from kb.diagnose.review import Confirmation
from kb.diagnose.sharing import DAYS
from kb.models.shared_diagnoses import MOST_NOTE, MOST_TITLE, MOST_WORDS

KINDS = [(kind.value, kind.label) for kind in Kind if kind.may_be_kept]
DURATIONS = [(days, f"{days} day{pluralize(days)}") for days in DAYS]
VERDICTS = (("right", "This was it"), ("wrong", "This was not it"))


class ShareForm(forms.Form):
    """What to hide, under which title, for how long."""

    title = forms.CharField(max_length=MOST_TITLE, required=False, label="Title")
    days = forms.TypedChoiceField(choices=DURATIONS, coerce=int, label="Delete it after")
    hide = forms.MultipleChoiceField(choices=KINDS, required=False, label="Hide", widget=forms.CheckboxSelectMultiple)

    @classmethod
    def untouched(cls) -> "ShareForm":
        """As it is first shown: everything is hidden, for a week."""
        return cls({"title": "", "days": 7, "hide": [value for value, _ in KINDS]})

    def shown_kinds(self) -> list[Kind]:
        """The kinds that are not hidden."""
        return [kind for kind in Kind if kind.may_be_kept and kind.value not in self.cleaned_data["hide"]]


class FeedbackForm(forms.Form):
    """What was right or wrong, and what it was."""

    thing = forms.ChoiceField(label="About", error_messages={"required": "Say what it is about."})
    verdict = forms.ChoiceField(
        choices=VERDICTS, label="Was it?", error_messages={"required": "Say whether this was it."}
    )
    really_at = forms.CharField(
        max_length=MOST_WORDS, required=False, label="The line that failed first, as FILE:LINE (optional)"
    )
    issue_url = forms.CharField(
        max_length=MOST_WORDS, required=False, label="The issue that it was, its address (optional)"
    )
    note = forms.CharField(max_length=MOST_NOTE, required=False, label="A note (optional)", widget=forms.Textarea)

    def __init__(self, data: Any, *, things: list[Thing]) -> None:
        super().__init__(data)
        self.things = {thing.key: thing for thing in things}
        self.fields["thing"].choices = [(key, thing.words) for key, thing in self.things.items()]  # type: ignore[attr-defined]

    def clean_really_at(self) -> str:
        """A file and a line, or nothing."""
        value: str = self.cleaned_data["really_at"].strip()
        name, colon, line = value.rpartition(":")
        if value and not (name and colon and line.isdecimal() and len(line) < 15):
            raise forms.ValidationError("Write the file and the number of the line, as in rank3.log:1204.")
        return value

    def clean_issue_url(self) -> str:
        """An issue's address in its canonical form, or nothing."""
        value: str = self.cleaned_data["issue_url"].strip()
        if not value:
            return ""
        try:
            address = parse_issue_address(value)
        except BadAddressError as error:
            raise forms.ValidationError(f"{str(error).capitalize()}.") from error
        return issue_address(address.repository, address.ref, is_pull_request=address.is_pull_request)

    def feedback(self) -> Feedback:
        """The feedback, as the service takes it."""
        data = self.cleaned_data
        return Feedback(
            thing=self.things[data["thing"]],
            is_right=data["verdict"] == "right",
            really_at=data["really_at"],
            issue_url=data["issue_url"],
            note=data["note"].strip(),
        )


class ReviewForm(forms.Form):
    """A decision and its reason; with an issue or a cause, later failures of the same signature are shown with it."""

    issue_url = forms.CharField(max_length=MOST_WORDS, required=False, label="It is this issue")
    cause = forms.ChoiceField(required=False, label="It has this root cause")
    reason = forms.CharField(max_length=MOST_NOTE, required=False, label="Reason", widget=forms.Textarea)

    def __init__(self, data: Any = None, *, causes: list[tuple[str, str]], initial: Any = None) -> None:
        super().__init__(data, initial=initial)
        self.fields["cause"].choices = [("", "None"), *causes]  # type: ignore[attr-defined]

    def confirmation(self) -> Confirmation:
        """What is to be confirmed."""
        return Confirmation(self.cleaned_data["issue_url"].strip(), self.cleaned_data["cause"])
