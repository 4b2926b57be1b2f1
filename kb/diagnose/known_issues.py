"""Known issues like a failure: what is searched of its lines, and which issues are near enough to offer."""

import builtins
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from django.urls import reverse

from kb.core.diagnosis.parsing.prefixes import parse_prefix
from kb.models import Issue
from kb.search import Row, search_draft
from kb.search.cards import cut
from kb.selectors.known_signatures import Confirmed

MOST_ISSUES, CANDIDATES = 8, 20
# So much of a line is searched, and so many lines behind the first.
MOST_LINE, MOST_LINES = 400, 3
MOST_RESOLUTION = 240
# Names of packages and folders that tell whose code failed.
PATHS = re.compile(
    r"(?:site-packages/|dist-packages/|[\s/\"'(])(deepspeed|megatron|vllm|sglang|transformers|accelerate|peft|colossalai"
    r"|torch|lightning|trl|llamafactory|bitsandbytes|flash_attn|ray)(?=[/.])"
)
SLUGS = {
    "megatron": "megatron-lm",
    "torch": "pytorch",
    "lightning": "pytorch-lightning",
    "flash_attn": "flash-attention",
}
WORD = re.compile(r"[A-Za-z_][A-Za-z_.]{2,60}")
COMMON = frozenset(
    {
        "the", "and", "for", "with", "not", "from", "that", "this", "was", "has", "are", "but", "your", "you", "can",
        "could", "cannot", "when", "none", "true", "false", "got", "only", "one", "new", "use", "all", "any", "error",
        "exception", "runtimeerror", "valueerror", "typeerror", "assertionerror", "attributeerror", "keyerror",
        "importerror", "oserror", "file", "line", "failed", "failure", "rank", "python", "info", "warning", "raise",
        "traceback", "most", "recent", "call", "last", "expected",
    }
)  # fmt: skip
# Python's own sentences, such as "No module named" and "list index out of range": any program ends with them.
PYTHONS = frozenset(
    {
        *(name.lower() for name, value in vars(builtins).items() if isinstance(value, type) and "Error" in name),
        "module", "named", "name", "defined", "import", "object", "attribute", "nonetype", "index", "range", "out",
        "list", "tuple", "string", "dict", "int", "float", "str", "division", "modulo", "zero", "argument", "arguments",
        "missing", "positional", "unexpected", "keyword", "required", "subscriptable", "iterable", "callable",
        "maximum", "recursion", "depth", "exceeded", "such", "directory", "permission", "denied", "type", "instances",
        "between", "supported",
    }
)  # fmt: skip
# The share of the error line's telling words that an issue must have; what else speaks for it may lift it, not save it.
LEAST_SHARE, LEAST_WORDS = 0.5, 2
FRAMEWORK_WORTH, NODE_WORTH = 0.15, 0.1


def issues_like(data: Mapping[str, Any], confirmed: Iterable[Confirmed]) -> list[dict[str, Any]]:
    """At most eight issues that everybody may see, the nearest first: what staff confirmed, then what search finds."""
    seen = [_confirmed(row, row.issue) for row in confirmed if row.issue is not None][:MOST_ISSUES]
    lines = _lines(data["lines"])
    if not lines:
        return seen
    frameworks = _frameworks(data["lines"])
    codes = {data["symptom_code"] or "", *(cause["code"] for cause in data["causes"])}
    found = search_draft(lines[0], "\n".join(lines[1:]), limit=CANDIDATES)
    signatures = Issue.objects.filter(pk__in=found.ids).values_list("pk", "recognise")
    own = {pk: " ".join(some) for pk, some in signatures}
    judged = sorted(
        (one for row in found.rows if (one := _judged(row, own.get(row.card.id, ""), lines[0], frameworks, codes))),
        key=lambda one: -one[0],
    )
    known = {one["url"] for one in seen}
    rows = [(score, row, why) for score, row, why in judged if row.card.page not in known][: MOST_ISSUES - len(seen)]
    resolutions = dict(Issue.objects.filter(pk__in=[row.card.id for _, row, _ in rows]).values_list("pk", "resolution"))
    return [*seen, *(_offered(score, row, why, resolutions.get(row.card.id, "")) for score, row, why in rows)]


def _confirmed(row: Confirmed, issue: Issue) -> dict[str, Any]:
    fixes = list(issue.fixes.all()[:1])
    return {
        "title": issue.heading or issue.shown_title,
        "url": issue.get_absolute_url(),
        "source_url": issue.url,
        "why": row.sentence,
        "score": 1.0,
        "resolution": cut(issue.resolution, MOST_RESOLUTION),
        "fix_url": fixes[0].url if fixes else "",
    }


def _lines(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    """What failed first, behind its heads, each text once."""
    said = [_behind_heads(line["text"]) for line in lines if line["indicated"]]
    return [line for line in dict.fromkeys(said) if line][: 1 + MOST_LINES]


def _behind_heads(text: str) -> str:
    line = text[: 4 * MOST_LINE].strip()
    return line[parse_prefix(line).body :][:MOST_LINE].replace("\0", "").strip()


def _frameworks(lines: Sequence[Mapping[str, Any]]) -> set[str]:
    """Slugs of the frameworks whose code the lines that matter, and those around them, name."""
    texts = [text["text"] for line in lines for text in (line, *line.get("context", ()))]
    named = {name for text in texts for name in PATHS.findall(text[: 4 * MOST_LINE])}
    return {SLUGS.get(name, name) for name in named}


def words_of(text: str) -> set[str]:
    """The words of a text that tell one fault from another."""
    words = {word.strip("._").lower().rpartition(".")[2] for word in WORD.findall(text)}
    return {word for word in words if len(word) > 2 and word not in COMMON}


def _judged(
    row: Row, signatures: str, line: str, frameworks: Collection[str], codes: Collection[str]
) -> tuple[float, Row, str] | None:
    """How near an issue is, from 0 to 1, and why; None where it shares too little with the line to be offered."""
    card = row.card
    is_framework = card.framework in frameworks
    said, has = words_of(line), words_of(f"{card.title} {signatures} {card.start} {card.text}")
    # A sentence of Python's own counts only where it came from this framework's code.
    asked = said - PYTHONS or (said if is_framework else set())
    both = asked & has
    share = len(both) / len(asked) if asked else 0.0
    if share < LEAST_SHARE or len(both) < min(LEAST_WORDS, len(asked)):
        return None
    nodes = [node for node in (*card.symptoms, *card.causes) if node.code in codes]
    score = share * 0.75 + FRAMEWORK_WORTH * is_framework + NODE_WORTH * bool(nodes)
    why = [f"Shares {len(both)} of {len(asked)} telling words with the line that failed first"]
    why += [f"of {card.framework_name}, whose code is named in the log"] if is_framework else []
    why += [f"has {nodes[0].name}, as this run"] if nodes else []
    return score, row, "; ".join(why) + "."


def _offered(score: float, row: Row, why: str, resolution: str) -> dict[str, Any]:
    card = row.card
    return {
        "title": card.title,
        "url": card.page or reverse("search"),
        "source_url": card.url,
        "why": why,
        "score": round(score, 3),
        "resolution": cut(resolution, MOST_RESOLUTION),
        "fix_url": card.fix.url if card.fix else "",
    }
