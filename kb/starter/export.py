"""Writes curated issues back as records: what `load.py` reads, in the same order of keys, so that it round-trips."""

import datetime as dt
from pathlib import Path
from typing import Any

import yaml

from kb.codebook.format import AXIS_CODES
from kb.models import Fix, Issue
from kb.selectors.issues import with_details
from kb.starter.format import NOT_STATED, record_path

WIDTH = 110


class _Dumper(yaml.SafeDumper):
    """Block style with indented lists and folded long text, as records are written by hand."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        """Indent list items below their key."""
        super().increase_indent(flow, indentless=False)


def _string(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = ">" if len(text) > WIDTH - 20 and "\n" not in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _string)


def export_starter(root: Path) -> int:
    """Write one record per curated issue below `root`; returns how many. Files of other issues are left alone."""
    issues = with_details(Issue.objects.curated().filter(read_on__isnull=False)).order_by("url")
    for issue in issues:
        path = record_path(root, issue.url)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(to_yaml(as_record(issue)), encoding="utf-8")
    return len(issues)


def to_yaml(record: dict[str, Any]) -> str:
    """A record as YAML text."""
    return yaml.dump(record, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH)


def as_record(issue: Issue) -> dict[str, Any]:
    """The issue as a record; keys whose value is not known are left out."""
    record = {
        "url": issue.url,
        "framework": issue.repository.framework.slug,
        "title": issue.heading,
        "summary": issue.summary,
        "recognise": issue.recognise,
        "resolution": issue.resolution or NOT_STATED,
        "workaround": issue.workaround or NOT_STATED,
        "state": issue.state,
        "opened": _day(issue.opened_at),
        "closed": _day(issue.closed_at),
        "comments": issue.comment_count,
        "affected_versions": issue.affected_versions,
        "fixed_version": issue.fixed_version,
        "labels": _labels(issue),
        "fixes": [_fix(fix) for fix in issue.fixes.all()],
        "evidence": issue.evidence,
        "related": issue.related_urls,
        "read": {"date": issue.read_on, "extent": issue.read_extent},
    }
    return {key: value for key, value in record.items() if value not in (None, "", [])}


def _day(moment: dt.datetime | None) -> dt.date | None:
    return moment.date() if moment else None


def _labels(issue: Issue) -> dict[str, list[dict[str, str]]]:
    held = [label for label in issue.labels.all() if label.source.slug == "curated"]
    by_axis = {
        axis: [{"node": label.node.code, "why": label.reason} for label in held if label.node.axis.code == axis]
        for axis in AXIS_CODES
    }
    return {axis: labels for axis, labels in by_axis.items() if labels}


def _fix(fix: Fix) -> dict[str, Any]:
    facts = {
        "url": fix.url,
        "merged": fix.merged_on,
        "additions": fix.additions,
        "deletions": fix.deletions,
        "files": fix.files_changed,
        "what": fix.description,
    }
    return {key: value for key, value in facts.items() if value is not None}
