"""Writes curated issues as records, in the order of keys of handwritten ones; loading them again changes nothing."""

from pathlib import Path
from typing import Any, TypedDict

import yaml

from kb.codebook.format import AXIS_CODES
from kb.models import Fix, Issue
from kb.selectors.issues import with_details
from kb.starter.format import NOT_STATED, record_path
from kb.starter.range_rows import as_affects

WIDTH = 110


# A record's keys and values, without those that are not known. `kb.starter.format.Record` is their type when read.
RecordData = dict[str, Any]


class LabelData(TypedDict):
    """A label of a record."""

    node: str
    why: str


class _Dumper(yaml.SafeDumper):
    """Block style with indented lists and folded long text, as records are written by hand."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        """Indent list items below their key."""
        super().increase_indent(flow, indentless=False)


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    is_folded = len(text) > WIDTH - 20 and "\n" not in text
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=">" if is_folded else None)


_Dumper.add_representer(str, _represent_text)


def export_starter(root: Path) -> int:
    """Write one record per curated issue below `root` and return their number. Other files there stay."""
    issues = with_details(Issue.objects.curated().filter(read_on__isnull=False)).order_by("url")
    issues = issues.prefetch_related("affected_ranges", "other_reports__repository")
    for issue in issues:
        path = record_path(root, issue.url)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(to_yaml(as_record(issue)), encoding="utf-8")
    return len(issues)


def to_yaml(record: RecordData) -> str:
    """A record as YAML."""
    return yaml.dump(record, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH)


def as_record(issue: Issue) -> RecordData:
    """The issue as a record, without the keys whose value is not known."""
    record = {
        "id": issue.public_id,
        "url": issue.url,
        "framework": issue.repository.framework.slug,
        "title": issue.heading,
        "summary": issue.summary,
        "fix_line": issue.fix_line,
        "snippet": issue.snippet,
        "recognise": issue.recognise,
        "no_line": issue.no_line,
        "also_seen": issue.also_seen,
        "resolution": issue.resolution or NOT_STATED,
        "workaround": issue.workaround or NOT_STATED,
        "certainty": issue.certainty,
        "inferred": issue.inferred,
        "severity": issue.severity,
        "circumstances": {fact.key: fact.word for fact in issue.known_facts},
        "models": issue.model_names,
        "layout": issue.layout,
        "state": issue.state,
        "opened": issue.opened_at and issue.opened_at.date(),
        "closed": issue.closed_at and issue.closed_at.date(),
        "comments": issue.comment_count,
        "affects": as_affects(issue),
        "affects_when": issue.affects_when,
        "range_unknown": issue.range_unknown,
        "labels": _labels(issue),
        "fixes": [_fix(fix) for fix in issue.fixes.all()],
        "evidence": issue.evidence,
        "same_as": [report.url for report in issue.other_reports.all()],
        "neighbours": issue.neighbours,
        "related": issue.related_urls,
        "read": {"date": issue.read_on, "extent": issue.read_extent},
        "checked": {"date": issue.checked_on, "extent": issue.checked_extent} if issue.checked_on else None,
    }
    return {key: value for key, value in record.items() if value not in (None, "", [], {})}


def _labels(issue: Issue) -> dict[str, list[LabelData]]:
    by_axis: dict[str, list[LabelData]] = {axis: [] for axis in AXIS_CODES}
    for label in issue.labels.all():
        if label.source.slug == "curated" and label.node.axis.code in by_axis:
            by_axis[label.node.axis.code].append({"node": label.node.code, "why": label.reason})
    return {axis: labels for axis, labels in by_axis.items() if labels}


def _fix(fix: Fix) -> RecordData:
    """As the record states it: what git says of it is no part of a record."""
    stated = fix.stated_facts
    facts = {
        "url": fix.url,
        "merged": stated["merged_on"],
        "additions": stated["additions"],
        "deletions": stated["deletions"],
        "files": stated["files_changed"],
        "what": fix.description,
    }
    return {key: value for key, value in facts.items() if value is not None}
