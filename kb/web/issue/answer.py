"""The answer card of an issue's page: symptom, cause, fix and workaround, each with the source of its claim.

What an order or a snippet is stands in `kb.core.advice`; the rest of the page is in `page.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kb.core.addresses import BadAddressError, parse_issue_address
from kb.core.advice import fix_order, snippets
from kb.models import ClosingReference, Fix, Issue, Label, Source
from kb.search import Similar
from kb.starter.claims import unlinked
from kb.web.issue.fixes import ShownFix, shown_fixes
from kb.web.issue.threads import ThreadContext

# The root cause of what works as designed and is reported as a fault.
EXPECTED = "expected-behavior"
Labels = Mapping[str, Sequence[Label]]


@dataclass(frozen=True)
class ClaimSource:
    """A link that a claim rests on, and who says it there."""

    url: str
    name: str
    by: str


@dataclass(frozen=True)
class Claim:
    """A text of the record, its code to copy, and its sources; `unlinked` where the record names none."""

    text: str
    code: tuple[str, ...]
    sources: tuple[ClaimSource, ...]
    unlinked: bool


@dataclass(frozen=True)
class AnswerCard:
    """What the page answers first. `fix_line`, `snippet`: what to do now; `certainty`: how sure cause and fix are;
    `inferred`: claims that no link states. `unknown` names the parts that nobody has found: cause, fix or both."""

    fix_line: str
    snippet: str
    certainty: str
    inferred: Sequence[str]
    symptoms: Sequence[Label]
    line: str
    causes: Sequence[Label]
    cause: Claim
    order: str
    fixes: Sequence[ShownFix]
    attempts: Sequence[tuple[ClosingReference, str]]
    patterns: Sequence[Label]
    resolution: Claim
    workaround: Claim
    unknown: str
    closest: Similar | None

    @property
    def is_expected(self) -> bool:
        """Does it work as designed?"""
        return any(label.node.code == EXPECTED for label in self.causes)

    @property
    def is_fixed(self) -> bool:
        """Is anything known that ended it?"""
        return bool(self.fixes or self.resolution.text)

    @property
    def is_empty(self) -> bool:
        """Is there nothing to answer with?"""
        is_labelled = self.symptoms or self.causes or self.patterns
        return not (is_labelled or self.fix_line or self.line or self.is_fixed or self.attempts or self.workaround.text)


def answer_card(issue: Issue, labels: Labels, *, thread: ThreadContext, solved: Sequence[Similar]) -> AnswerCard:
    """The card of an issue with these labels of the house codebook.

    `solved` are issues like it with a known fix.
    """
    fixes = list(issue.fixes.all())
    causes = labels.get("root_cause", ())
    has_fix = bool(fixes or issue.resolution)
    missing = [part for part, is_known in (("cause", causes), ("fix", has_fix)) if not is_known]
    unsupported = _unsupported(issue, causes, has_fix=bool(fixes))
    order = fix_order(
        issue.repository.framework.name, fixed_version=issue.fixed_version, fixes=[fix.short_name for fix in fixes]
    )
    return AnswerCard(
        fix_line=issue.fix_line,
        snippet=issue.snippet,
        certainty=issue.get_certainty_display() if issue.certainty else "",
        inferred=issue.inferred,
        symptoms=labels.get("symptom", ()),
        line=issue.recognise[0] if issue.recognise else "",
        causes=causes,
        cause=_claim(issue, "cause", "", unsupported),
        order=order,
        fixes=shown_fixes(fixes, thread["references"]),
        attempts=thread["attempts"],
        patterns=labels.get("fix_pattern", ()),
        resolution=_claim(issue, "resolution", issue.resolution, unsupported),
        workaround=_claim(issue, "workaround", issue.workaround, unsupported),
        unknown=" and ".join(missing),
        closest=solved[0] if missing and solved else None,
    )


def _claim(issue: Issue, supports: str, text: str, unsupported: Sequence[str]) -> Claim:
    urls: dict[str, ClaimSource] = {}
    for line in issue.evidence:
        if line["supports"] == supports:
            urls.setdefault(line["url"], ClaimSource(line["url"], link_name(line["url"]), line["by"]))
    return Claim(text, snippets(text), tuple(urls.values()), supports in unsupported)


def _unsupported(issue: Issue, causes: Sequence[Label], *, has_fix: bool) -> list[str]:
    """The record's claims without evidence; none where there is no record."""
    if not issue.is_curated:
        return []
    stated = {
        "cause": any(label.source.kind == Source.Kind.CURATED for label in causes),
        "resolution": bool(issue.resolution),
        "workaround": bool(issue.workaround),
    }
    supported = [line["supports"] for line in issue.evidence]
    return unlinked([claim for claim, is_stated in stated.items() if is_stated], supported, has_fix=has_fix)


def link_name(url: str) -> str:
    """The short name of what an address leads to: `owner/name#7` or `owner/name@abc1234`; else the address itself."""
    try:
        address = parse_issue_address(url)
    except BadAddressError:
        return Fix.name_of(url, Fix.Kind.COMMIT) if "/commit/" in url else url.removeprefix("https://")
    return f"{address.repository.full_name}#{address.ref}"
