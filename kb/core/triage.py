"""What a maintainer is told of a new report: likely duplicates, labels, questions, as a comment. Nothing posts it.

What is like the report and what it lacks come as values; who asks for them, and where, is not known here.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from kb.core.reports.completeness import Completeness
from kb.core.similar import SimilarMatchData, SimilarReportData

# What is less probably the same fault is related at best; below that it is not worth a maintainer's look.
LIKELY, WORTH_A_LOOK = 0.5, 0.3
MOST_LISTED, MOST_QUESTIONS, MOST_TITLE = 5, 5, 140
# A stranger's title must not become a mention, a link or a heading of ours.
SPECIAL = re.compile(r"([\\`*_\[\]<>#|~!])")
HIDDEN = re.compile(r"[\x00-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+")
ZERO_WIDTH_SPACE = "\u200b"


class SuggestedLabel(TypedDict):
    """A category that the report may be given."""

    name: Annotated[str, Field(description="Its name; of what the text tells, a code such as `hang`.")]
    why: Annotated[str, Field(description="The likely duplicate that has it, or the report's line that tells it.")]


class Question(TypedDict):
    """A fact that a report of this symptom needs and does not state."""

    name: Annotated[str, Field(description="The fact.")]
    why: Annotated[str, Field(description="Why it is needed.")]
    get: Annotated[str, Field(description="How the reporter gets it.")]


class TriageData(TypedDict):
    """The triage of a report."""

    similar: Annotated[SimilarReportData, Field(description="What is like it, as the API's search/similar answers.")]
    labels: Annotated[list[SuggestedLabel], Field(description="Labels suggested.")]
    questions: Annotated[list[Question], Field(description="What to ask the reporter for, the most telling first.")]
    comment: Annotated[str, Field(description="All of it as a comment in Markdown.")]


def triage(similar: SimilarReportData, told: Completeness) -> TriageData:
    """The triage of a report. `told`: what its text has and lacks."""
    labels = list(_labels(_likely(similar), told))
    questions = [Question(name=each.fact.name, why=each.fact.why, get=each.fact.get) for each in told.missing]
    return TriageData(
        similar=similar,
        labels=labels,
        questions=questions[:MOST_QUESTIONS],
        comment=_comment(similar, labels, questions[:MOST_QUESTIONS]),
    )


def has_likely_duplicate(similar: SimilarReportData) -> bool:
    """Whether some match is more probably the same fault than not."""
    return bool(_likely(similar))


def plain(text: str) -> str:
    """A stranger's text on one line as it reads, with no power in Markdown: no mention, link or hidden character."""
    line = " ".join(HIDDEN.sub(" ", text).split())
    return SPECIAL.sub(r"\\\1", line).replace("@", f"@{ZERO_WIDTH_SPACE}").replace("://", f":{ZERO_WIDTH_SPACE}//")


def _likely(similar: SimilarReportData) -> list[SimilarMatchData]:
    return [match for match in similar["matches"] if (match["same_fault"] or 0.0) >= LIKELY]


def _labels(likely: Iterable[SimilarMatchData], told: Completeness) -> Iterator[SuggestedLabel]:
    """Categories of the likely duplicates, each once, and the symptom that the text itself tells."""
    seen = set()
    for match in likely:
        for name in (*match["symptoms"], *match["causes"]):
            if name not in seen:
                yield SuggestedLabel(name=name, why=f"{match['name']} has it")
                seen.add(name)
    if not told.is_guess:
        yield SuggestedLabel(name=told.symptom, why=f"the report says “{told.told_by}”")


def _comment(similar: SimilarReportData, labels: Iterable[SuggestedLabel], questions: Iterable[Question]) -> str:
    likely = _likely(similar)
    related = [
        match for match in similar["matches"] if match not in likely and (match["same_kind"] or 0.0) >= WORTH_A_LOOK
    ]
    parts = [
        _section("Likely duplicates", map(_match, likely[:MOST_LISTED])),
        _section("Related", map(_match, related[:MOST_LISTED])),
        _section("Suggested labels", (plain(f"{label['name']}: {label['why']}") for label in labels)),
        _section("Please add", (plain(f"{each['name']}: {each['why']}") for each in questions)),
    ]
    text = "\n\n".join(filter(None, parts))
    return f"{text or 'Nothing like it is known, and nothing is missing.'}\n\n<sub>{plain(similar['basis'])}</sub>\n"


def _section(heading: str, lines: Iterable[str]) -> str:
    listed = "\n".join(f"- {line}" for line in lines)
    return f"**{heading}**\n\n{listed}" if listed else ""


def _match(match: SimilarMatchData) -> str:
    chances = (("same fault", match["same_fault"]), ("same kind", match["same_kind"]))
    said = ", ".join(f"{name} {chance:.2f}" for name, chance in chances if chance is not None)
    title = plain(match["title"][:MOST_TITLE])
    why = f": {plain('; '.join(match['reasons']))}" if match["reasons"] else ""
    fix = f" What to do: {plain(match['fix_line'])}" if match["fix_line"] else ""
    return f"[{plain(match['name'])}]({match['url']}) {title} ({said or 'not known how surely'}){why}.{fix}"
