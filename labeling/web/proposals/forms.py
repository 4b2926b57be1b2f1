"""The form of a proposal, which depends on what is to change. Whether it is whole is the service's to say."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.text import slugify

from labeling.models import NodeVersion, ProjectNode, Proposal
from labeling.selectors.codebooks import AxisNodes
from labeling.web.settling.forms import indented
from labeling.wordings import Wording, wording_of

Kind = Proposal.Kind
ABOUT_ONE = (Kind.RENAME, Kind.REDEFINE, Kind.SPLIT, Kind.RETIRE)
MOST_PARTS = 6
MOST_EVIDENCE = 30
NAME, CODE = 160, 64
LISTS = {
    "include": ("Include", "One rule a line: what belongs here."),
    "exclude": ("Exclude", "One rule a line: what does not, and where it belongs."),
    "examples": ("Examples", "One a line."),
    "aliases": ("Other names", "One a line; they are found when somebody types them."),
}


class ProposalForm(forms.Form):
    """What is to change, why, and the issues that show it.

    `parts`: how many new categories a split makes; `about`: the category concerned where it is one.
    """

    reason = forms.CharField(
        label="Why", max_length=5_000, widget=forms.Textarea(attrs={"rows": 3, "class": "form-control"})
    )
    evidence = forms.CharField(
        label="Issues that show it", required=False,
        help_text="Addresses, one a line. Nobody may vote while one of them is still blind.",
        widget=forms.Textarea(attrs={"rows": 3, "class": "form-control"}),
    )  # fmt: skip
    rule = forms.ChoiceField(
        label="Accepted when", choices=Proposal.Rule.choices, initial=Proposal.Rule.UNANIMOUS,
        widget=forms.Select(attrs={"class": "form-select"}),
    )  # fmt: skip

    def __init__(
        self, axis: AxisNodes, kind: Proposal.Kind, *, about: NodeVersion | None = None, parts: int = 2,
        data: Mapping[str, Any] | None = None, initial: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(data, initial=dict(initial or {}))
        self.axis, self.kind, self.about = axis, kind, about
        self.parts = {Kind.ADD: 1, Kind.RENAME: 1, Kind.REDEFINE: 1, Kind.SPLIT: parts}.get(kind, 0)
        self._add_nodes(indented(axis))
        for part in range(self.parts):
            self._add_wording(part)
        last = ("reason", "evidence", "rule")
        self.order_fields([*(name for name in self.fields if name not in last), *last])

    def _add_nodes(self, choices: Sequence[tuple[str, str]]) -> None:
        if self.kind in (Kind.ADD, Kind.MERGE):
            is_merge = self.kind == Kind.MERGE
            self.fields["nodes"] = forms.MultipleChoiceField(
                label="Categories that go" if is_merge else "Categories it would take issues from",
                choices=choices, required=False, widget=forms.CheckboxSelectMultiple(attrs={"class": "choices"}),
                help_text="" if is_merge else "Their issues are labelled again after the change.",
            )  # fmt: skip
        if self.kind == Kind.MERGE:
            self.fields["into"] = forms.ChoiceField(
                label="Category that stays", choices=[("", "Choose …"), *choices], required=False,
                widget=forms.Select(attrs={"class": "form-select"}),
            )  # fmt: skip

    def _add_wording(self, part: int) -> None:
        about = self.about if self.kind in (Kind.RENAME, Kind.REDEFINE) else None
        which = f" ({part + 1})" if self.parts > 1 else ""
        if self.kind != Kind.REDEFINE:
            self.fields[f"name-{part}"] = forms.CharField(
                label=f"Name{which}", max_length=NAME, required=False, initial=about.name if about else "",
                widget=forms.TextInput(attrs={"class": "form-control"}),
            )  # fmt: skip
        if self.kind != Kind.RENAME:
            self.fields[f"definition-{part}"] = _text(f"Definition{which}", "", about.definition if about else "")
        for name, (label, text) in LISTS.items():
            if self.kind != Kind.RENAME or name == "aliases":
                lines = "\n".join(getattr(about, name)) if about else ""
                self.fields[f"{name}-{part}"] = _text(label + which, text, lines)

    def nodes(self, by_code: Mapping[str, NodeVersion]) -> list[ProjectNode]:
        """The categories concerned."""
        if self.kind in ABOUT_ONE:
            return [self.about.node] if self.about else []
        return [by_code[code].node for code in self.cleaned_data["nodes"]]

    def into(self, by_code: Mapping[str, NodeVersion]) -> ProjectNode | None:
        """The category that stays in a merge."""
        code = self.cleaned_data.get("into")
        return by_code[code].node if code else None

    def wordings(self) -> list[Wording]:
        """The new wordings; a rename keeps what the category means, a new definition keeps its name."""
        return [self._wording(part) for part in range(self.parts)]

    def _wording(self, part: int) -> Wording:
        said = self.cleaned_data
        kept = self.about if self.kind in (Kind.RENAME, Kind.REDEFINE) else None
        name = said.get(f"name-{part}") or (kept.name if kept and self.kind == Kind.REDEFINE else "")
        lists = {
            one: tuple(_lines(said[f"{one}-{part}"]) if f"{one}-{part}" in said else getattr(kept, one))
            for one in LISTS
        }
        definition = said.get(f"definition-{part}", kept.definition if kept else "")
        return Wording(kept.node.code if kept else _code(name), name, definition, **lists)

    def addresses(self) -> list[str]:
        """The addresses of the evidence."""
        return _lines(self.cleaned_data["evidence"])

    def clean_evidence(self) -> str:
        """Not more than can be looked at."""
        text = str(self.cleaned_data["evidence"])
        if len(_lines(text)) > MOST_EVIDENCE:
            raise forms.ValidationError(f"At most {MOST_EVIDENCE} issues: name the clearest ones.")
        return text


def written(proposal: Proposal) -> dict[str, Any]:
    """A proposal as its form holds it."""
    values: dict[str, Any] = {
        "reason": proposal.reason,
        "rule": proposal.rule,
        "evidence": "\n".join(issue.url for issue in proposal.evidence.order_by("url")),
        "nodes": [node.code for node in proposal.nodes.all()],
        "into": proposal.into.code if proposal.into else "",
    }
    for part, one in enumerate(map(wording_of, proposal.wording)):
        values |= {f"name-{part}": one.name, f"definition-{part}": one.definition}
        values |= {f"{name}-{part}": "\n".join(getattr(one, name)) for name in LISTS}
    return values


def _text(label: str, help_text: str, initial: str) -> forms.CharField:
    return forms.CharField(
        label=label, help_text=help_text, initial=initial, required=False, max_length=5_000,
        widget=forms.Textarea(attrs={"rows": 2, "class": "form-control"}),
    )  # fmt: skip


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _code(name: str) -> str:
    """A new category's code, from its name."""
    return (slugify(name) or slugify(name, allow_unicode=True))[:CODE].strip("-")
