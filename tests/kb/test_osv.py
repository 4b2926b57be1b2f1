"""Faults in OSV's format: the events that follow from bounds, what they rest on, and the form of every document."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from kb.exports.osv import Exporter
from kb.models import Issue
from kb.selectors.faults import issues_with_ranges
from tests.contracts.osv import OsvDocument
from tests.support.factories import make_fix, make_history, make_issue, make_range, make_repository

pytestmark = pytest.mark.django_db
SITE = "https://faultbook.example"


def document_of(issue: Issue) -> Any:
    document = Exporter(lambda path: SITE + path).document(issues_with_ranges().get(pk=issue.pk))
    if document is not None:
        OsvDocument.model_validate(document)
    return document


def events(**bounds: str) -> Any:
    issue = make_issue(heading="It waits for ever", summary="It waits.")
    make_range(issue, **bounds)
    document = document_of(issue)
    return document and document["affected"][0]["ranges"][0]["events"]


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ({"introduced": "0.14.0", "fixed": "0.15.0"}, [{"introduced": "0.14.0"}, {"fixed": "0.15.0"}]),
        ({"fixed": "0.15.0"}, [{"introduced": "0"}, {"fixed": "0.15.0"}]),
        (
            {"introduced": "0.14.0", "introduced_by": "reported", "fixed": "0.15.0"},
            [{"introduced": "0"}, {"fixed": "0.15.0"}],
        ),
        (
            {"introduced": "0.14.0", "introduced_by": "lines", "introduced_oldest": "0.12.0", "fixed": "0.15.0"},
            [{"introduced": "0.12.0"}, {"fixed": "0.15.0"}],
        ),
        ({"last_affected": "0.15.0"}, [{"introduced": "0"}, {"last_affected": "0.15.0"}]),
        ({"introduced": "0.14.0"}, [{"introduced": "0.14.0"}]),
        ({"introduced": "0.14.0", "introduced_by": "reported"}, None),
        ({"fixed": "later, maybe"}, None),
    ],
)  # fmt: skip
def test_an_event_is_the_widest_known_bound_and_a_report_is_none(bounds: dict[str, str], expected: Any) -> None:
    assert events(**bounds) == expected


def test_a_document_says_what_its_bounds_rest_on_and_names_releases_in_the_range() -> None:
    make_history("0.13.0", "0.14.0", "0.15.0rc1", "0.15.0")
    other = make_issue(8, heading="It waits too")
    issue = make_issue(7, heading="It waits for ever", summary="It waits.", resolution="A guard.", body="Theirs",
                       fix_line="Set `A=1`.", snippet="export A=1",
                       opened_at="2024-01-01T00:00Z", affects_when="zero_stage == 3", read_on="2026-01-03")  # fmt: skip
    issue.related.add(other)
    issue.fixes.add(make_fix(9))
    make_range(issue, introduced="0.14.0", introduced_by="lines", fixed="0.15.0", fixed_evidence="https://x.example/9")
    document = document_of(issue)
    assert document["id"] == f"x_{issue.public_id}"
    assert document["aliases"] == ["x_FAULTBOOK-github.com__deepspeedai__DeepSpeed__7"]
    assert document["related"] == ["x_FAULTBOOK-github.com__deepspeedai__DeepSpeed__8"]
    assert document["published"] == "2024-01-01T00:00:00Z"
    assert document["modified"] == "2026-01-03T00:00:00Z"
    assert document["details"] == "Set `A=1`.\n\n```\nexport A=1\n```\n\nIt waits.\n\nFix: A guard."
    assert document["database_specific"] == {"condition": "zero_stage == 3", "is_vulnerability": False}
    (affected,) = document["affected"]
    assert affected["package"]["name"] == "deepspeed"
    assert affected["versions"] == ["0.14.0"]
    assert affected["ranges"][0]["database_specific"]["introduced"]["by"] == "lines"
    assert [(reference["type"], reference["url"]) for reference in document["references"]] == [
        ("REPORT", issue.url),
        ("WEB", SITE + issue.get_absolute_url()),
        ("FIX", issue.fixes.get().url),
        ("FIX", "https://x.example/9"),
    ]


def test_what_is_no_package_of_pypi_has_the_commits_of_its_releases() -> None:
    repository = make_repository("NVIDIA/nccl", "nccl")
    issue = make_issue(7, heading="It waits for ever", repository=repository)
    make_range(issue, "nvidia/nccl", introduced="2.19.3", fixed="2.20.3")
    assert document_of(issue) is None, "no commit is known"
    make_history("2.19.3", "2.20.3", repository=repository)
    (entry,) = document_of(issue)["affected"][0]["ranges"]
    assert (entry["type"], entry["repo"]) == ("GIT", "https://github.com/NVIDIA/nccl")
    assert entry["events"] == [{"introduced": f"{0:040x}"}, {"fixed": f"{1:040x}"}]


def test_several_ranges_of_one_package_are_one_entry() -> None:
    issue = make_issue(heading="It waits for ever")
    make_range(issue, introduced="0.13.0", fixed="0.14.3")
    make_range(issue, introduced="0.15.0", fixed="0.15.2")
    make_range(issue, "torch", fixed="2.4.0", fixed_by="stated")
    deepspeed, torch = document_of(issue)["affected"]
    assert len(deepspeed["ranges"]) == 2
    assert torch["package"]["name"] == "torch"


@pytest.mark.usefixtures("starter")
def test_every_fault_of_the_records_is_written_in_the_form(tmp_path: Path) -> None:
    call_command("export_osv", tmp_path / "osv")
    files = list((tmp_path / "osv").iterdir())
    assert files
    for path in files:
        document = json.loads(path.read_text(encoding="utf-8"))
        OsvDocument.model_validate(document)
        assert path.stem == document["id"]


def test_the_api_answers_with_it_or_says_that_there_is_none(client: Client) -> None:
    issue = make_issue(heading="It waits for ever", summary="It waits.")
    assert client.get(f"/api/v1/issues/{issue.pk}/osv/").status_code == 404
    make_range(issue, fixed="0.15.0")
    OsvDocument.model_validate(client.get(f"/api/v1/issues/{issue.pk}/osv/").json())
