"""Which causes a symptom has, counted in the records of the data file, as the server's page of the symptom counts."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from kb.core.knowledge.known import Knowledge
from kb.core.knowledge.shape import Record
from kb.core.tools import answers
from kb.core.tools.fault_rows import MOST_CAUSES, MOST_CAUSES_OF_MORE, cause_row, id_of

# Causes are told as categories, which lie below groups.
LEVEL = 2


def causes_of(known: Knowledge, symptom: str, framework: str, *, more: bool) -> answers.CausesAnswer:
    """The causes of the records with this symptom or one below it, the most frequent first."""
    frameworks = known.names["framework"]
    named = frameworks.get(framework)
    by_cause: dict[str, list[Record]] = defaultdict(list)
    issues = with_cause = 0
    for record in known.records.values():
        if named and record.framework not in (named.value, named.name):
            continue
        if not any(symptom in _above(known, "symptom", code) for code in record.labels.get("symptom", ())):
            continue
        issues += 1
        causes = _categories(known, "root_cause", record.labels.get("root_cause", ()))
        with_cause += bool(causes)
        for cause in causes:
            by_cause[cause].append(record)
    places = {code: place for place, (_axis, code) in enumerate(known.nodes)}
    ordered = sorted(by_cause, key=lambda code: (-len(by_cause[code]), places[code]))
    most = MOST_CAUSES_OF_MORE if more else MOST_CAUSES
    return answers.CausesAnswer(
        symptom=known.nodes["symptom", symptom].name,
        framework=framework,
        issues=issues,
        with_known_cause=with_cause,
        sources=[f"Faultbook's records: {issues} issues"],
        causes=[_cause(known, code, by_cause[code], with_cause) for code in ordered[:most]],
        left_out="Rarer causes than these: more=true." if len(ordered) > most else "",
    )


def _cause(known: Knowledge, code: str, records: list[Record], of: int) -> answers.Cause:
    fixes: Counter[str] = Counter()
    for record in records:
        fixes.update(_categories(known, "fix_pattern", record.labels.get("fix_pattern", ())))
    best = sorted(records, key=lambda record: (not record.resolution, not record.fixes, -record.id))
    return cause_row(
        code,
        known.nodes["root_cause", code].name,
        len(records),
        of,
        fixed_by=[known.nodes["fix_pattern", fix].name for fix, _count in fixes.most_common()],
        examples=[record.public_id or id_of(record.url, record.page) for record in best],
    )


def _categories(known: Knowledge, axis: str, codes: Iterable[str]) -> set[str]:
    """The categories that these codes belong to; a group alone tells none, unless nothing lies below it."""
    parents = {node.parent for (its_axis, _code), node in known.nodes.items() if its_axis == axis}
    found = set()
    for code in codes:
        path = _above(known, axis, code)
        if len(path) >= LEVEL:
            found.add(path[-LEVEL])
        elif path and code not in parents:
            found.add(code)
    return found


def _above(known: Knowledge, axis: str, code: str) -> list[str]:
    """The category and those above it, the group last."""
    path = []
    while node := known.nodes.get((axis, code)):
        path.append(code)
        code = node.parent
    return path
