"""A diagnosis's data made ready for its page: words, links, what signals mean, downloads. Nothing is judged."""

import base64
import re
from dataclasses import dataclass
from itertools import compress
from operator import not_
from typing import TypedDict

import orjson
from django.db.models import Q
from django.urls import reverse

from kb.core.diagnosis.headline import Headline, headline
from kb.core.diagnosis.report import BELONGING
from kb.core.diagnosis.schema import DiagnosedCause, DiagnosisData, KnownIssue
from kb.core.diagnosis.terminal import STAGES, SYMPTOMS, TITLES
from kb.diagnose.feedback import Thing, things
from kb.diagnose.signed_data import sealed
from kb.models import Node
from kb.web.diagnose.passages import Passage, close_up, passages
from kb.web.diagnose.signals import Part, parts
from kb.web.diagnose.timeline_svg import Drawing, draw

MOST_SUSPECTS = 16
# There may be thousands of places: so many are shown, all of them are in the download.
MOST_PLACES = 50
SYMPTOM, CAUSE = "symptom", "root_cause"
# A fix that stands above all other steps, since the known issue has this very error.
SAME = frozenset({"confirmed", "same_error"})
FIRST_SENTENCE = re.compile(r".+?[.!?](?=\s|$)", re.DOTALL)


@dataclass(frozen=True)
class Suspect:
    """A row of a table of suspects."""

    name: str
    score: float
    why: str


@dataclass(frozen=True)
class Suspects:
    """A table of nodes or of ranks, the most suspect first. `more`: how many are left out."""

    kind: str
    title: str
    rows: list[Suspect]
    more: int


class ShownCause(DiagnosedCause):
    """A cause with its likelihood in percent."""

    percent: int


class ShownIssue(KnownIssue):
    """A known issue with the sentence of its resolution that says what to do."""

    fix: str


class AnswerContext(TypedDict):
    """The context of `kb/diagnose/_answer.html`, on the page of a result and wherever else a log is answered.

    `close_up`: the failing line with those around it; `known_fix`: the issue with this very error whose fix is known.
    """

    data: DiagnosisData
    title: str
    headline: Headline
    symptom_words: str
    stage_words: str
    symptom_node: Node | None
    close_up: Passage | None
    checks: list[list[Part]]
    known_fix: ShownIssue | None
    issues: list[ShownIssue]
    causes: list[ShownCause]


class ResultContext(AnswerContext):
    """The context of `kb/diagnose/result.html`. `sealed`: the data, signed, for the forms of sharing and feedback."""

    first: list[Passage]
    places_first: int
    left_first: int
    followed: list[Passage]
    suspects: list[Suspects]
    drawing: Drawing | None
    text: str
    download: str
    trail: list[tuple[str, str]]
    sealed: str | None
    things: list[Thing]


def answer_context(data: DiagnosisData) -> AnswerContext:
    """What is told of a log above everything else."""
    nodes = _house_nodes(data)
    issues = [_issue(issue) for issue in data.get("issues", [])]
    return {
        "data": data,
        "title": TITLES[data["verdict"]],
        "headline": headline(data),
        "symptom_words": SYMPTOMS.get(data["symptom"] or "", ""),
        "stage_words": STAGES.get(data["stage"] or "", ""),
        "symptom_node": nodes.get((SYMPTOM, data["symptom_code"] or "")),
        "close_up": close_up(data["lines"]),
        "checks": [parts(check, f"step-{number}") for number, check in enumerate(data["checks"])],
        "known_fix": next((issue for issue in issues if _tells_fix(issue) and issue.get("relation") in SAME), None),
        "issues": issues,
        "causes": [_cause(cause, nodes.get((CAUSE, cause["code"]))) for cause in data["causes"]],
    }


def result_context(data: DiagnosisData) -> ResultContext:
    """What the page of a result shows."""
    belonging = [line["indicated"] or line["role"] in BELONGING for line in data["lines"]]
    first = passages(compress(data["lines"], belonging), "first")
    followed = passages(compress(data["lines"], map(not_, belonging)), "followed")
    json_text = orjson.dumps(data, option=orjson.OPT_INDENT_2)
    return {
        **answer_context(data),
        "first": first[:MOST_PLACES],
        "places_first": len(first),
        "left_first": max(len(first) - MOST_PLACES, 0),
        "followed": followed[:MOST_PLACES],
        "suspects": _suspects(data),
        "drawing": draw(data.get("timeline")),
        "text": as_text(data),
        "download": "data:application/json;base64," + base64.b64encode(json_text).decode(),
        "trail": [("Diagnose", reverse("diagnose"))],
        "sealed": sealed(data),
        "things": things(data),
    }


def as_text(data: DiagnosisData) -> str:
    """The diagnosis in short parts, for a chat or a report."""
    parts = [f"{TITLES[data['verdict']]}\n{data['sentence']}"]
    told = [line for line in data["lines"] if line["role"] not in BELONGING or line["indicated"]]
    for line in told[:10]:
        note = " (failed first)" if line["indicated"] else ""
        parts.append(f"{line['file']}:{line['line']}{note}\n  {line['text'].strip()}")
    lists = {
        "Suspect nodes": [f"{node['name']}: {node['why']}" for node in data["nodes"][:5]],
        "Suspect ranks": [f"rank {rank['rank']}: {rank['why']}" for rank in data["ranks"][:5]],
        "Likely causes": [f"{cause['code']}: {cause['why']}" for cause in data["causes"]],
        "Known issues": [_in_text(issue) for issue in data.get("issues", [])],
        "What to do now": data["checks"],
        "Not read": data["unknown"],
    }
    for title, entries in lists.items():
        if entries:
            parts.append("\n".join([title, *(f"  - {entry}" for entry in entries)]))
    return "\n\n".join(parts) + "\n"


def _in_text(issue: KnownIssue) -> str:
    fix_line = issue.get("fix_line", "")
    return f"{issue['title']} {issue['source_url']}{f': {fix_line}' if fix_line else ''}"


def _suspects(data: DiagnosisData) -> list[Suspects]:
    nodes = [Suspect(node["name"], node["score"], node["why"]) for node in data["nodes"]]
    ranks = [Suspect(f"rank {rank['rank']}", rank["score"], rank["why"]) for rank in data["ranks"]]
    tables = [("node", "Suspect nodes", nodes), ("rank", "Suspect ranks", ranks)]
    return [
        Suspects(kind, title, rows[:MOST_SUSPECTS], max(len(rows) - MOST_SUSPECTS, 0))
        for kind, title, rows in tables
        if rows
    ]


def _cause(cause: DiagnosedCause, node: Node | None) -> ShownCause:
    name, url = cause.get("name", ""), cause.get("url", "")
    if node is not None:
        name, url = name or node.name, url or node.get_absolute_url()
    return {**cause, "name": name or cause["code"], "url": url, "percent": round(100 * cause["likelihood"])}


def _issue(issue: KnownIssue) -> ShownIssue:
    """Without a fix line, the first sentence of the resolution says what to do."""
    match = FIRST_SENTENCE.match(issue["resolution"])
    fix_line = issue.get("fix_line", "")
    return {**issue, "fix_line": fix_line, "fix": fix_line or (match[0] if match else issue["resolution"])}


def _tells_fix(issue: ShownIssue) -> bool:
    return bool(issue["fix_line"] or issue["fix_url"])


def _house_nodes(data: DiagnosisData) -> dict[tuple[str, str], Node]:
    """The codebook's nodes that the data names by code, with one query, by axis and code."""
    named = Q(axis__code=CAUSE, code__in=[cause["code"] for cause in data["causes"]])
    named |= Q(axis__code=SYMPTOM, code=data["symptom_code"] or "")
    nodes = Node.objects.house().filter(named).select_related("axis__scheme").order_by("pk")
    return {(node.axis.code, node.code): node for node in nodes}
