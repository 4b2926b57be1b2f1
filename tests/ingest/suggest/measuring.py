"""Measures suggestions against what people said, and puts the numbers into a table and into `measured.json`."""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ingest.suggest import Suggestion, read_rules
from ingest.suggest.measured import Measured, Precision
from ingest.suggest.rules import AXES, SuggestedAxis
from kb.charts.figures import percent, percent_range
from kb.core.intervals import wilson
from tests.ingest.suggest.examples import house_words, suggester
from tests.ingest.suggest.reports import HOST_LABELS, Judgement, RealReport, curated, tensorflow_titles

HELD_OUT, TUNING = "held out", "tuning"
Tally = Mapping[SuggestedAxis, Precision]


@dataclass(frozen=True)
class Findings:
    """All that was measured. `unjudged`: suggestions on judged questions that nobody has judged."""

    reports: int
    coverage: Mapping[SuggestedAxis, float]
    read: Mapping[str, Tally]
    unjudged: tuple[str, ...]
    host: Mapping[str, Precision]
    host_coverage: float
    records: Tally
    tensorflow: Precision
    silent_called_crash: Precision


def measure(reports: Sequence[RealReport], judged: Sequence[Judgement]) -> Findings:
    """Ask for every report and compare."""
    found = {one.url: suggester().suggest(one.title, one.body, one.labels) for one in reports}
    read, unjudged = _read(found, judged)
    host, host_coverage = _host(reports)
    return Findings(
        reports=len(reports),
        coverage={axis: _share(any(s.axis == axis for s in some) for some in found.values()) for axis in AXES},
        read=read,
        unjudged=tuple(unjudged),
        host=host,
        host_coverage=host_coverage,
        records=_records(found),
        tensorflow=_tensorflow(),
        silent_called_crash=_silent(),
    )


def _read(
    found: Mapping[str, Sequence[Suggestion]], judged: Sequence[Judgement]
) -> tuple[dict[str, dict[SuggestedAxis, Precision]], list[str]]:
    """Right and read by part and axis, for what is suggested now; and what of it was not judged."""
    known = {(one.url, one.axis, one.node): one for one in judged}
    parts = {(one.url, one.axis): one.part for one in judged}
    right: dict[str, Counter[SuggestedAxis]] = defaultdict(Counter)
    total: dict[str, Counter[SuggestedAxis]] = defaultdict(Counter)
    unjudged = []
    for (url, axis), part in parts.items():
        for node in (one.node for one in found[url] if one.axis == axis):
            judgement = known.get((url, axis, node))
            if judgement is None:
                unjudged.append(f"{part}: {url} {axis} {node}")
                continue
            total[part][axis] += 1
            right[part][axis] += judgement.right
    return {
        part: {axis: Precision(right=right[part][axis], read=count) for axis, count in _in_order(some)}
        for part, some in total.items()
    }, unjudged


def _host(reports: Iterable[RealReport]) -> tuple[dict[str, Precision], float]:
    """Issue types without any help by labels, against the host's labels, by repository; and how many got one."""
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    asked = 0
    for one in reports:
        if one.host_type is None:
            continue
        asked += 1
        for suggested in suggester().suggest(one.title, one.body):
            if suggested.axis == "issue_type":
                total[one.repo] += 1
                right[one.repo] += suggested.node == one.host_type
    return {repo: Precision(right=right[repo], read=total[repo]) for repo in sorted(total)}, total.total() / asked


def _records(found: Mapping[str, Sequence[Suggestion]]) -> dict[SuggestedAxis, Precision]:
    """Against the curated records' labels; a node above one of them is right too."""
    parents = {(node.axis, node.code): node.parent for node in house_words()}
    right: Counter[SuggestedAxis] = Counter()
    total: Counter[SuggestedAxis] = Counter()
    for url, labels in curated().items():
        for one in found.get(url, ()):
            axis = next(axis for axis in AXES if axis == one.axis)
            total[axis] += 1
            right[axis] += one.node in _with_above(labels[axis], axis, parents)
    return {axis: Precision(right=right[axis], read=count) for axis, count in _in_order(total)}


def _with_above(codes: Iterable[str], axis: str, parents: Mapping[tuple[str, str], str | None]) -> set[str]:
    found = set()
    for code in codes:
        node: str | None = code
        while node:
            found.add(node)
            node = parents[axis, node]
    return found


def _tensorflow() -> Precision:
    """Titles of TensorFlow's issues that the host labels as bugs, which no rule was made from."""
    guessed = [
        one.node
        for title, labels, _ in tensorflow_titles()
        if "type:bug" in labels
        for one in suggester().suggest(title, "")
        if one.axis == "issue_type"
    ]
    return Precision(right=guessed.count("bug"), read=len(guessed))


def _silent() -> Precision:
    """Of bugs that reviewers call silent and whose title suggests a symptom: how many are rightly called no crash."""
    parents = {node.code: node.parent for node in house_words() if node.axis == "symptom"}
    nodes = [
        one.node
        for title, _, is_silent in tensorflow_titles()
        if is_silent
        for one in suggester().suggest(title, "")
        if one.axis == "symptom"
    ]
    return Precision(right=sum("crash" not in (node, parents[node]) for node in nodes), read=len(nodes))


def _in_order(counts: Counter[SuggestedAxis]) -> Iterator[tuple[SuggestedAxis, int]]:
    yield from ((axis, counts[axis]) for axis in AXES if counts[axis])


def _share(answers: Iterable[bool]) -> float:
    listed = list(answers)
    return round(sum(listed) / len(listed), 3)


def as_file(findings: Findings, judged: Sequence[Judgement]) -> Measured:
    """What `measured.json` holds: the part that no rule was made from."""
    return Measured(
        rules=read_rules().version,
        judged_on=max(dt.date.fromisoformat(one.judged_on) for one in judged),
        issues=findings.reports,
        precision=dict(findings.read[HELD_OUT]),
        coverage=dict(findings.coverage),
    )


def table(findings: Findings) -> Iterator[str]:
    """Lines for a person."""
    yield f"\n{findings.reports:,} issues; right of those read, with 95 % intervals (Wilson)\n"
    yield f"{'axis':<12} {'suggested for':>13}  {'held out':<26} {'tuning half':<26} curated records"
    for axis in AXES:
        cells = (
            _cell(tally.get(axis))
            for tally in (findings.read[HELD_OUT], findings.read[TUNING], findings.records)
        )  # fmt: skip
        yield f"{axis:<12} {percent(findings.coverage[axis]):>13}  " + "".join(f"{cell:<27}" for cell in cells)
    yield f"\nissue type against host labels ({', '.join(HOST_LABELS)}), no label read:"
    for repo, share in findings.host.items():
        yield f"  {repo:<22} {_cell(share)}"
    yield f"  of these issues, {percent(findings.host_coverage)} get a type without their labels"
    yield f"titles of TensorFlow's bugs that get a type: {_cell(findings.tensorflow)} a bug"
    yield f"titles of silent bugs that get a symptom: {_cell(findings.silent_called_crash)} no crash"
    yield from (f"not judged: {one}" for one in findings.unjudged)


def _cell(share: Precision | None) -> str:
    if share is None:
        return "-"
    return f"{percent(share.right / share.read)} of {share.read} ({percent_range(wilson(share.right, share.read))})"
