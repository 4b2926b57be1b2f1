"""What a diagnosis asks of what is known, wherever that is kept: a server's database or a data file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from kb.core.diagnosis.schema import CauseProbability, KnownIssue
from kb.core.search.error_matches import KnownIssues

# So much of a resolution is told beside a known issue.
MOST_RESOLUTION = 240


class NodePage(NamedTuple):
    """A category's name and the address of its page."""

    name: str
    url: str


class PatternUse(NamedTuple):
    """A fix pattern with a playbook, and how many of the issues with a cause and a known fix were fixed by it."""

    code: str
    name: str
    url: str
    issues: int
    of: int


@dataclass(frozen=True)
class Confirmed:
    """What staff confirmed for a signature: an issue, the code of a root cause, or both; `on` is a day."""

    issue: KnownIssue | None
    cause: str
    on: str

    @property
    def sentence(self) -> str:
        """The reason for showing it."""
        return seen_before(self.on)


def seen_before(on: str) -> str:
    """What is said of something that was confirmed on this day."""
    return f"Seen before: confirmed to be this on {on}."


class Known(KnownIssues, Protocol):
    """All of it."""

    def confirmed(self, key: str, version: int) -> Sequence[Confirmed]:
        """The distinct confirmations of a signature, the newest first."""

    def causes(self, codes: Sequence[str]) -> Mapping[str, NodePage]:
        """The house codebook's root causes with these codes."""

    def probabilities(self, symptom: str) -> Mapping[str, CauseProbability]:
        """How often causes go with the symptom, by their codes, as the most trusted source that has counted each."""

    def pattern_uses(self, causes: Sequence[str]) -> Mapping[str, Sequence[PatternUse]]:
        """What fixed issues with these causes, by the cause's code, the most frequent first."""

    def page(self, kind: str, slug: str = "") -> str:
        """The address of a page: `search`, or `fault-playbook` with its slug."""
