"""Known issues like a failure: which of its lines are asked, and what a diagnosis says of an issue that is like it.

How an issue is compared with error lines is `kb.core.search.error_matches`.
"""

from collections.abc import Iterable, Iterator

from kb.core.diagnosis.parsing.prefixes import parse_prefix
from kb.core.diagnosis.parsing.steps import plan
from kb.core.diagnosis.schema import DiagnosedLine, DiagnosisData, KnownIssue
from kb.core.frameworks import frameworks_named
from kb.core.knowledge.sources import MOST_RESOLUTION, Confirmed, Known
from kb.core.search.cards import cut
from kb.core.search.error_matches import ErrorMatch, ErrorQuery, error_matches
from kb.core.setups.facts import Setup

MOST_ISSUES = 8
# So much of a line is searched, and so many lines around those that failed.
MOST_LINE, MOST_AROUND = 1_600, 60


def issues_like(data: DiagnosisData, confirmed: Iterable[Confirmed], setup: Setup, known: Known) -> list[KnownIssue]:
    """At most eight issues that everybody may see, the nearest first: what staff confirmed, then what search finds."""
    if not data.get("is_of_models", True):
        return []
    issues = [row.issue for row in confirmed if row.issue is not None][:MOST_ISSUES]
    pages = {issue["url"] for issue in issues}
    for match in error_matches(_query(data, setup), MOST_ISSUES + len(issues), known):
        issue = _known_issue(match, known)
        if issue["url"] not in pages and len(issues) < MOST_ISSUES:
            issues.append(issue)
            pages.add(issue["url"])
    return issues


def _query(data: DiagnosisData, setup: Setup) -> ErrorQuery:
    around = list(_around(data["lines"]))
    versions = {entry["slug"]: entry["version"] or "" for entry in data.get("stack", [])}
    for text in (*around, *(line["text"][:MOST_LINE] for line in data["lines"])):
        # What stands around a line may name code that the line itself does not.
        versions |= {slug: versions.get(slug, "") for slug in frameworks_named(text)}
    codes = {data["symptom_code"] or "", *(cause["code"] for cause in data["causes"])}
    bodies = [body_of(line) for line in data["lines"] if line["indicated"]]
    errors = tuple(body for body in bodies if plan(body) is None)
    return ErrorQuery(
        lines=errors,
        described="" if errors else data["sentence"],
        context=tuple(around[:MOST_AROUND]),
        versions=versions,
        setup=setup,
        codes=frozenset(codes - {""}),
    )


def _around(lines: Iterable[DiagnosedLine]) -> Iterator[str]:
    """What stands around the lines that failed: the others that matter, and those next to them."""
    for line in lines:
        if not line["indicated"]:
            yield body_of(line)
        for nearby in line.get("context", []):
            yield nearby["text"][:MOST_LINE]


def body_of(line: DiagnosedLine) -> str:
    """What the line says behind its prefix, as it is searched for."""
    text = line["text"][:MOST_LINE].strip()
    return parse_prefix(text).text[:MOST_LINE].replace("\0", "").strip()


def _known_issue(match: ErrorMatch, known: Known) -> KnownIssue:
    """The issue of a match; for a report that a record answers, that record, with the report's address."""
    card = match.card
    answer = card.answered_by
    return {
        "title": (answer and answer.title) or card.title,
        "url": (answer and answer.page) or card.page or known.page("search"),
        "source_url": card.url,
        "relation": match.relation.value,
        "why": match.why,
        "score": round(match.score, 3),
        "resolution": cut(match.resolution, MOST_RESOLUTION),
        "fix_url": card.fix.url if card.fix else "",
        "fix_line": answer.fix_line if answer else card.fix_line,
        "certainty": card.certainty,
    }
