"""A diagnosis's data made ready for its page: words, links, what signals mean, downloads. Nothing is judged."""

import base64
from collections.abc import Iterable, Mapping
from typing import Any

import orjson
from django.db.models import Q
from django.urls import reverse

from kb.core.diagnosis.terminal import STAGES, SYMPTOMS, TITLES
from kb.models import Node
from kb.web.diagnose.offers import offered
from kb.web.diagnose.passages import passages
from kb.web.diagnose.timeline_svg import drawn

MOST_SUSPECTS = 16
# There may be thousands of places: so many are shown, so many more behind a click, all of them in the download.
SHOWN, MORE = 4, 50
SYMPTOM, CAUSE = "symptom", "root_cause"


def shown(data: dict[str, Any]) -> dict[str, Any]:
    """The context of `kb/diagnose/result.html`."""
    first = passages((line for line in data["lines"] if line["indicated"]), "first")
    nodes = _house_nodes(data)
    return {
        "data": data,
        "title": TITLES[data["verdict"]],
        "symptom_words": SYMPTOMS.get(data["symptom"] or "", ""),
        "stage_words": STAGES.get(data["stage"] or "", ""),
        "symptom_node": nodes.get((SYMPTOM, data["symptom_code"] or "")),
        "first": first[:SHOWN],
        "more_first": first[SHOWN : SHOWN + MORE],
        "left_first": max(len(first) - SHOWN - MORE, 0),
        "followed": passages((line for line in data["lines"] if not line["indicated"]), "followed")[:MORE],
        "suspects": _suspects(data),
        "causes": [_cause(cause, nodes.get((CAUSE, cause["code"]))) for cause in data["causes"]],
        "drawing": drawn(data.get("timeline")),
        "text": as_text(data),
        "download": "data:application/json;base64," + base64.b64encode(_as_json(data)).decode(),
        "trail": [("Diagnose", reverse("diagnose"))],
        **offered(data),
    }


def as_text(data: Mapping[str, Any]) -> str:
    """The diagnosis in short parts, for a chat or a report."""
    parts = [
        [TITLES[data["verdict"]], data["sentence"]],
        *(_told(line) for line in data["lines"][:10]),
        _listed("Suspect nodes", (f"{one['name']}: {one['why']}" for one in data["nodes"][:5])),
        _listed("Suspect ranks", (f"rank {one['rank']}: {one['why']}" for one in data["ranks"][:5])),
        _listed("Likely causes", (f"{one['code']}: {one['why']}" for one in data["causes"])),
        _listed("Known issues", (f"{one['title']} {one['source_url']}" for one in data.get("issues") or ())),
        _listed("What to check next", data["checks"]),
        _listed("Not read", data["unknown"]),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _told(line: Mapping[str, Any]) -> list[str]:
    head = f"{line['file']}:{line['line']}{' (failed first)' if line['indicated'] else ''}"
    return [head, f"  {line['text'].strip()}"]


def _listed(title: str, entries: Iterable[str]) -> list[str]:
    told = [f"  - {entry}" for entry in entries]
    return [title, *told] if told else []


def _suspects(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Nodes and ranks as tables, the most suspect first."""
    nodes = [{"name": one["name"], "score": one["score"], "why": one["why"]} for one in data["nodes"]]
    ranks = [{"name": f"rank {one['rank']}", "score": one["score"], "why": one["why"]} for one in data["ranks"]]
    found = (("node", "Suspect nodes", nodes), ("rank", "Suspect ranks", ranks))
    return [
        {"kind": kind, "title": title, "rows": rows[:MOST_SUSPECTS], "more": max(len(rows) - MOST_SUSPECTS, 0)}
        for kind, title, rows in found
        if rows
    ]


def _cause(cause: Mapping[str, Any], node: Node | None) -> dict[str, Any]:
    url = cause.get("url") or (node.get_absolute_url() if node else "")
    name = cause.get("name") or (node.name if node else cause["code"])
    return {**cause, "name": name, "url": url, "percent": round(100 * cause["likelihood"])}


def _house_nodes(data: Mapping[str, Any]) -> dict[tuple[str, str], Node]:
    """The codebook's nodes that the data names by code, with one query, by axis and code."""
    wanted = Q(axis__code=CAUSE, code__in=[cause["code"] for cause in data["causes"]])
    wanted |= Q(axis__code=SYMPTOM, code=data["symptom_code"] or "")
    found = Node.objects.house().filter(wanted).select_related("axis__scheme").order_by("pk")
    return {(node.axis.code, node.code): node for node in found}


def _as_json(data: Mapping[str, Any]) -> bytes:
    return orjson.dumps(data, option=orjson.OPT_INDENT_2)
