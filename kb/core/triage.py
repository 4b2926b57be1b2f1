"""A comment for a maintainer about a new report: likely duplicates, labels and questions. Nothing here posts it.

What is like the report and what it lacks come as values; who asks for them, and where, is not known here.
"""

import re
from collections.abc import Iterable, Sequence

from kb.core.reports.completeness import Item
from kb.core.similar import SimilarMatchData, SimilarReportData

# What is less probably the same fault is related at best; below that it is not worth a maintainer's look.
LIKELY, WORTH_A_LOOK = 0.5, 0.3
MOST_LISTED, MOST_QUESTIONS, MOST_TITLE = 5, 5, 140
# A stranger's title must not become a mention, a link or a heading of ours.
SPECIAL = re.compile(r"([\\`*_\[\]<>#|~!])")
HIDDEN = re.compile(r"[\x00-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+")
ZERO_WIDTH_SPACE = "\u200b"


def comment(similar: SimilarReportData, missing: Sequence[Item] = ()) -> str:
    """The comment; `missing`: the facts that a report of this symptom needs and does not state."""
    likely = [match for match in similar["matches"] if (match["same_fault"] or 0.0) >= LIKELY]
    related = [
        match for match in similar["matches"] if match not in likely and (match["same_kind"] or 0.0) >= WORTH_A_LOOK
    ]
    parts = [
        _section("Likely duplicates", map(_match, likely[:MOST_LISTED])),
        _section("Related", map(_match, related[:MOST_LISTED])),
        _section("Suggested labels", _labels(likely)),
        _section("Please add", map(_question, missing[:MOST_QUESTIONS])),
    ]
    text = "\n\n".join(filter(None, parts))
    return f"{text or 'Nothing like it is known, and nothing is missing.'}\n\n<sub>{plain(similar['basis'])}</sub>\n"


def plain(text: str) -> str:
    """A stranger's text on one line as it reads, with no power in Markdown: no mention, link or hidden character."""
    line = " ".join(HIDDEN.sub(" ", text).split())
    return SPECIAL.sub(r"\\\1", line).replace("@", f"@{ZERO_WIDTH_SPACE}").replace("://", f":{ZERO_WIDTH_SPACE}//")


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


def _labels(matches: Iterable[SimilarMatchData]) -> list[str]:
    """Categories of the likely duplicates, each once."""
    return [
        plain(name)
        for name in dict.fromkeys(name for match in matches for name in (*match["symptoms"], *match["causes"]))
    ]


def _question(item: Item) -> str:
    return plain(f"{item.fact.name}: {item.fact.why}")
