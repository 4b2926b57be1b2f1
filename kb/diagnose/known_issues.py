"""Known issues like a failure: what is searched of its lines, and which issues are near enough to offer."""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from django.urls import reverse

from kb.core.diagnosis.parsing.prefixes import parse_prefix
from kb.core.diagnosis.schema import DiagnosedLine, DiagnosisData, KnownIssue
from kb.core.frameworks import frameworks_named
from kb.core.telling import COMMON, PYTHONS
from kb.models import Issue
from kb.search import Row, search_draft
from kb.search.cards import cut
from kb.selectors.known_signatures import Confirmed

MOST_ISSUES, CANDIDATES = 8, 20
# So much of a line is searched, and so many lines behind the first.
MOST_LINE, MOST_LINES = 400, 3
MOST_RESOLUTION = 240
WORD = re.compile(r"[A-Za-z_][A-Za-z_.]{2,60}")
# The share of the error line's telling words that an issue must have; what else speaks for it may lift it, not save it.
LEAST_SHARE, LEAST_WORDS = 0.5, 2
SHARE_WORTH, FRAMEWORK_WORTH, NODE_WORTH = 0.75, 0.15, 0.1


class Match(NamedTuple):
    """An issue that search found. `score`: how near it is to the failure, from 0 to 1."""

    score: float
    why: str
    row: Row
    resolution: str


def issues_like(data: DiagnosisData, confirmed: Iterable[Confirmed]) -> list[KnownIssue]:
    """At most eight issues that everybody may see, the nearest first: what staff confirmed, then what search finds."""
    issues = [_confirmed_issue(row.issue, row.sentence) for row in confirmed if row.issue is not None][:MOST_ISSUES]
    lines = _first_failure(data["lines"])
    if not lines:
        return issues
    frameworks: set[str] = set()
    for line in data["lines"]:
        # What stands around it may name code that the line itself does not.
        for text in (line["text"], *(nearby["text"] for nearby in line.get("context", []))):
            frameworks |= frameworks_named(text[: 4 * MOST_LINE])
    codes = {data["symptom_code"], *(cause["code"] for cause in data["causes"])}
    result = search_draft(lines[0], "\n".join(lines[1:]), limit=CANDIDATES)
    stored = Issue.objects.only("recognise", "resolution").in_bulk(result.ids)
    confirmed_pages = {issue["url"] for issue in issues}
    matches: list[Match] = []
    for row in result.rows:
        match = _match(row, stored.get(row.card.id), lines[0], frameworks, codes)
        if match is not None and row.card.page not in confirmed_pages:
            matches.append(match)
    matches.sort(key=lambda match: -match.score)
    return issues + [_known_issue(match) for match in matches[: MOST_ISSUES - len(issues)]]


def _confirmed_issue(issue: Issue, why: str) -> KnownIssue:
    fix = issue.fixes.first()
    return {
        "title": issue.heading or issue.shown_title,
        "url": issue.get_absolute_url(),
        "source_url": issue.url,
        "why": why,
        "score": 1.0,
        "resolution": cut(issue.resolution, MOST_RESOLUTION),
        "fix_url": fix.url if fix else "",
    }


def _first_failure(lines: Sequence[DiagnosedLine]) -> list[str]:
    """What failed first, without the prefixes of lines, each text once."""
    texts: dict[str, None] = {}
    for line in lines:
        if line["indicated"]:
            text = line["text"][: 4 * MOST_LINE].strip()
            texts[parse_prefix(text).text[:MOST_LINE].replace("\0", "").strip()] = None
    return [text for text in texts if text][: 1 + MOST_LINES]


def words_of(text: str) -> set[str]:
    """The words of a text that tell one fault from another."""
    words = {word.strip("._").lower().rpartition(".")[2] for word in WORD.findall(text)}
    return {word for word in words if len(word) > 2 and word not in COMMON}


def _match(
    row: Row, issue: Issue | None, line: str, frameworks: Collection[str], codes: Collection[str | None]
) -> Match | None:
    """How near a row of the search is to the line, and why; None where it shares too little with it to be offered.

    `issue`: the row's issue, unless it was deleted since it was indexed.
    """
    card = row.card
    signatures = " ".join(issue.recognise) if issue else ""
    is_framework = card.framework in frameworks
    line_words = words_of(line)
    telling = line_words - PYTHONS
    # A sentence of Python's own counts only where it came from this framework's code.
    if not telling and is_framework:
        telling = line_words
    shared = telling & words_of(f"{card.title} {signatures} {card.start} {card.text}")
    share = len(shared) / len(telling) if telling else 0.0
    if share < LEAST_SHARE or len(shared) < min(LEAST_WORDS, len(telling)):
        return None
    score = share * SHARE_WORTH
    reasons = [f"Shares {len(shared)} of {len(telling)} telling words with the line that failed first"]
    if is_framework:
        score += FRAMEWORK_WORTH
        reasons.append(f"of {card.framework_name}, whose code is named in the log")
    nodes = [node for node in (*card.symptoms, *card.causes) if node.code in codes]
    if nodes:
        score += NODE_WORTH
        reasons.append(f"has {nodes[0].name}, as this run")
    return Match(score, "; ".join(reasons) + ".", row, issue.resolution if issue else "")


def _known_issue(match: Match) -> KnownIssue:
    card = match.row.card
    return {
        "title": card.title,
        "url": card.page or reverse("search"),
        "source_url": card.url,
        "why": match.why,
        "score": round(match.score, 3),
        "resolution": cut(match.resolution, MOST_RESOLUTION),
        "fix_url": card.fix.url if card.fix else "",
    }
