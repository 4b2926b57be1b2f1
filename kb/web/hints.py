"""Hints as pages show them: on a category's page with the records behind them, on playbooks in short."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kb.codebook.hints import CauseHints, Reproduction, SymptomHints, hints
from kb.models import Node
from kb.selectors.issue_links import IssueLink, issue_links

# On a playbook's page they stand beside what it is about.
MOST_SHORT = 4


@dataclass(frozen=True)
class ShownHints:
    """A category's hints; `of` is the broader category that they are of where it has none of its own."""

    test: str
    log: str
    reproduce: Reproduction
    needs: str
    records: Sequence[IssueLink]
    of: Node | None


@dataclass(frozen=True)
class ShortHint:
    """What a cause's test and log would have told, for a list."""

    cause: Node
    hints: CauseHints


def node_hints(node: Node) -> ShownHints | None:
    """The hints of a house category, or else of the one above it; None where there are none."""
    if not node.axis.scheme.is_house:
        return None
    by_code: Mapping[str, Mapping[str, SymptomHints]] = {
        "root_cause": hints().causes,
        "symptom": hints().symptoms,
    }
    known = by_code.get(node.axis.code, {})
    family = (node, node.parent, node.parent.parent if node.parent else None)
    owner = next((each for each in family if each is not None and each.code in known), None)
    return None if owner is None else _shown(known[owner.code], None if owner is node else owner)


def _shown(found: SymptomHints, of: Node | None) -> ShownHints:
    links = issue_links(found.records)
    cause = found if isinstance(found, CauseHints) else None
    return ShownHints(
        test=cause.test if cause else "",
        log=cause.log if cause else "",
        reproduce=found.reproduce,
        needs=needs_of(found.reproduce),
        records=[links[url] for url in found.records],
        of=of,
    )


def needs_of(reproduction: Reproduction) -> str:
    """What a reproduction takes, in words."""
    gpus, processes = reproduction.gpus, reproduction.processes
    machine = f"{gpus} GPU{'s' if gpus > 1 else ''}" if gpus else "No GPU"
    return f"{machine}, {processes} process{'es' if processes > 1 else ''}"


def short_hints(found: Mapping[str, CauseHints]) -> list[ShortHint]:
    """The first of these hints by cause, with the causes as they stand in the codebook."""
    kept = dict(list(found.items())[:MOST_SHORT])
    causes = Node.objects.house().filter(axis__code="root_cause", code__in=kept)
    by_code = {cause.code: cause for cause in causes.select_related("axis__scheme")} if kept else {}
    return [ShortHint(by_code[code], each) for code, each in kept.items() if code in by_code]
