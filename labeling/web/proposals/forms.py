"""The form of a proposal, which depends on what is to change. The service checks whether it is complete."""

from collections.abc import Sequence

from django import forms
from django.http import QueryDict
from django.utils.text import slugify

from kb.models import Issue
from labeling.models import NodeVersion, Proposal
from labeling.selectors.codebooks import AxisNodes
from labeling.selectors.proposals import evidence_of, known_issues
from labeling.services.proposals import ProposalContent
from labeling.web.forms import Initial
from labeling.web.settling.forms import indented
from labeling.wordings import Wording, wording_of

Kind = Proposal.Kind
ABOUT_ONE = (Kind.RENAME, Kind.REDEFINE, Kind.SPLIT, Kind.RETIRE)
MOST_PARTS = 6
MOST_EVIDENCE = 30
NAME, CODE = 160, 64
# The lists of a wording -> label and help text.
LISTS = {
    "include": ("Include", "One rule per line: what it includes."),
    "exclude": ("Exclude", "One rule per line: what it excludes, and where that belongs."),
    "examples": ("Examples", "One a line."),
    "aliases": ("Other names", "One per line; searches for them find this category."),
}


class ProposalForm(forms.Form):
    """What is to change, why, and the issues that show it.

    `parts`: how many new categories a split makes; `about`: the category concerned, for kinds that concern one.
    """

    reason = forms.CharField(
        label="Why", max_length=5_000, widget=forms.Textarea(attrs={"rows": 3, "class": "form-control"})
    )
    evidence = forms.CharField(
        label="Issues that show it", required=False,
        help_text="Addresses, one per line. Nobody can vote while one of them is still blind.",
        widget=forms.Textarea(attrs={"rows": 3, "class": "form-control"}),
    )  # fmt: skip
    rule = forms.ChoiceField(
        label="Accepted when", choices=Proposal.Rule.choices, initial=Proposal.Rule.UNANIMOUS,
        widget=forms.Select(attrs={"class": "form-select"}),
    )  # fmt: skip

    def __init__(
        self, nodes: AxisNodes, kind: Proposal.Kind, *, about: NodeVersion | None = None, parts: int = 2,
        data: QueryDict | None = None, initial: Initial | None = None,
    ) -> None:  # fmt: skip
        super().__init__(data, initial=initial)
        self.kind, self.about = kind, about
        # A rename or a new definition keeps everything else of its category's wording.
        self.before = Wording(code="", name="", definition="")
        if about and kind in (Kind.RENAME, Kind.REDEFINE):
            lists = {name: tuple(getattr(about, name)) for name in LISTS}
            self.before = Wording(about.node.code, about.name, about.definition, **lists)
        self.parts = {Kind.ADD: 1, Kind.RENAME: 1, Kind.REDEFINE: 1, Kind.SPLIT: parts}.get(kind, 0)
        self.versions = {version.node.code: version for version in nodes.versions}
        self._add_nodes(indented(nodes))
        for part in range(self.parts):
            self._add_wording(part)
        last = ("reason", "evidence", "rule")
        self.order_fields([*(name for name in self.fields if name not in last), *last])

    def _add_nodes(self, choices: Sequence[tuple[str, str]]) -> None:
        if self.kind == Kind.ADD:
            self.fields["nodes"] = forms.MultipleChoiceField(
                label="Categories it would take issues from", choices=choices, required=False,
                widget=forms.CheckboxSelectMultiple(attrs={"class": "choices"}),
                help_text="Their issues are labelled again after the change.",
            )  # fmt: skip
        if self.kind == Kind.MERGE:
            self.fields["nodes"] = forms.MultipleChoiceField(
                label="Categories that go", choices=choices, required=False,
                widget=forms.CheckboxSelectMultiple(attrs={"class": "choices"}),
            )  # fmt: skip
            self.fields["into"] = forms.ChoiceField(
                label="Category that stays", choices=[("", "Choose …"), *choices], required=False,
                widget=forms.Select(attrs={"class": "form-select"}),
            )  # fmt: skip

    def _add_wording(self, part: int) -> None:
        suffix = f" ({part + 1})" if self.parts > 1 else ""
        if self.kind != Kind.REDEFINE:
            self.fields[f"name-{part}"] = forms.CharField(
                label=f"Name{suffix}", max_length=NAME, required=False, initial=self.before.name,
                widget=forms.TextInput(attrs={"class": "form-control"}),
            )  # fmt: skip
        if self.kind != Kind.RENAME:
            self.fields[f"definition-{part}"] = _text_field(f"Definition{suffix}", "", self.before.definition)
        for name, (label, help_text) in LISTS.items():
            if self.kind != Kind.RENAME or name == "aliases":
                initial = "\n".join(getattr(self.before, name))
                self.fields[f"{name}-{part}"] = _text_field(label + suffix, help_text, initial)

    def clean_evidence(self) -> list[Issue]:
        """The issues at these addresses, of which there are not more than can be looked at."""
        urls = _lines(self.cleaned_data["evidence"])
        if len(urls) > MOST_EVIDENCE:
            raise forms.ValidationError(f"At most {MOST_EVIDENCE} issues: choose the clearest ones.")
        issues, faults = known_issues(urls=urls)
        if faults:
            raise forms.ValidationError(faults)
        return issues

    def content(self) -> ProposalContent:
        """What was filled in; the form must be valid."""
        values = self.cleaned_data
        if self.kind not in ABOUT_ONE:
            nodes = [self.versions[code].node for code in values["nodes"]]
        else:
            nodes = [self.about.node] if self.about else []
        into = values.get("into")
        return ProposalContent(
            reason=values["reason"],
            rule=Proposal.Rule(values["rule"]),
            nodes=nodes,
            into=self.versions[into].node if into else None,
            wording=[self._wording(part) for part in range(self.parts)],
            evidence=values["evidence"],
        )

    def _wording(self, part: int) -> Wording:
        values, before = self.cleaned_data, self.before
        name = values.get(f"name-{part}", before.name)
        definition = values.get(f"definition-{part}", before.definition)
        lists: dict[str, tuple[str, ...]] = {field: getattr(before, field) for field in LISTS}
        for field in LISTS:
            if f"{field}-{part}" in values:
                lists[field] = tuple(_lines(values[f"{field}-{part}"]))
        return Wording(before.code or _code_for(name), name, definition, **lists)


def initial_of(proposal: Proposal) -> Initial:
    """The form's values for an existing proposal."""
    values: Initial = {
        "reason": proposal.reason,
        "rule": proposal.rule,
        "evidence": "\n".join(issue.url for issue in evidence_of(proposal=proposal)),
        "nodes": [node.code for node in proposal.nodes.all()],
        "into": proposal.into.code if proposal.into else "",
    }
    for part, wording in enumerate(map(wording_of, proposal.wording)):
        values[f"name-{part}"] = wording.name
        values[f"definition-{part}"] = wording.definition
        for name in LISTS:
            values[f"{name}-{part}"] = "\n".join(getattr(wording, name))
    return values


def _text_field(label: str, help_text: str, initial: str) -> forms.CharField:
    return forms.CharField(
        label=label, help_text=help_text, initial=initial, required=False, max_length=5_000,
        widget=forms.Textarea(attrs={"rows": 2, "class": "form-control"}),
    )  # fmt: skip


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _code_for(name: str) -> str:
    """A new category's code."""
    return (slugify(name) or slugify(name, allow_unicode=True))[:CODE].strip("-")
