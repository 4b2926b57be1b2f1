"""The template of a new record: what it fills in, and that it becomes a record once the rest is written."""

import datetime as dt
from io import StringIO
from pathlib import Path

import pytest
import yaml
from django.core.management import CommandError, call_command
from django.db import connection

from kb.core.frameworks import framework_of, listed_slugs
from kb.models import Change, Fix, State
from kb.selectors.record_facts import KnownFix, RecordFacts, record_facts
from kb.services.repositories import ensure_repository
from kb.starter.format import Record
from kb.starter.rules import no_more_rules, read_values
from kb.starter.template import new_record
from tests.support.factories import make_issue

URL, TODAY = "https://github.com/vllm-project/vllm/issues/99", dt.date(2026, 1, 2)
PULL = "https://github.com/vllm-project/vllm/pull/100"
FACTS = RecordFacts(
    "closed",
    dt.date(2025, 1, 1),
    dt.date(2025, 2, 1),
    7,
    (KnownFix(PULL, dt.date(2025, 1, 9), (3, 1, 2), "vllm", "0.7.0"),),
)
WRITTEN = {
    "title:": "title: The server hangs while it loads",
    "summary:": "summary: The server hangs while it loads the weights of a model over two cards, and prints nothing.",
    "fix_line:": "fix_line: Upgrade to 0.7.0.",
    "# no_line:": "no_line: Nothing is printed.",
    "    - {node: , why: }": "    - {node: model-loading, why: The weights are being loaded.}",
    "    - {node: bug, why: }": "    - {node: bug, why: It never ends.}",
    "certainty:": "certainty: likely",
    "  extent:": "  extent: description",
    "    what:": "    what: Ends the wait.",
}


def written(text: str) -> list[str]:
    """What is wrong with the template once somebody has written the rest."""
    lines = []
    for line in text.splitlines():
        key = next((key for key in WRITTEN if line.startswith(key)), "")
        lines.append(WRITTEN.get(key, line))
    filled = "\n".join(lines).replace("symptom:\n    - {node: model-loading", "symptom:\n    - {node: hang")
    record, faults = read_values(yaml.safe_load(filled), frameworks=listed_slugs(), more=no_more_rules)
    return [fault.reason for fault in faults] if record else [filled, *(fault.reason for fault in faults)]


@pytest.mark.parametrize("is_long", [False, True])
@pytest.mark.parametrize("facts", [None, FACTS])
def test_the_template_becomes_a_record_once_filled_in(facts: RecordFacts | None, is_long: bool) -> None:
    text = new_record(url=URL, today=TODAY, facts=facts, is_long=is_long)
    assert set(yaml.safe_load(text)) <= set(Record.model_fields)
    assert written(text) == []
    assert max(map(len, text.splitlines())) <= 120


def test_what_is_known_is_filled_in_and_no_title_is() -> None:
    values = yaml.safe_load(new_record(url=URL, today=TODAY, facts=FACTS))
    assert (values["state"], values["opened"], values["comments"]) == ("closed", dt.date(2025, 1, 1), 7)
    assert values["fixes"] == [
        {"url": PULL, "merged": dt.date(2025, 1, 9), "additions": 3, "deletions": 1, "files": 2, "what": None}
    ]
    assert values["affects"] == [{"package": "vllm", "fixed": {"version": "0.7.0", "by": "git", "evidence": PULL}}]
    assert (values["evidence"], values["title"]) == ([{"url": PULL, "supports": "resolution", "by": "fix"}], None)
    assert "framework" not in values, "it follows from the repository"


def test_an_unknown_repository_asks_for_its_framework() -> None:
    url = "https://github.com/nobody/nothing/issues/1"
    assert framework_of(url) == ""
    assert "framework" in yaml.safe_load(new_record(url=url, today=TODAY))


def test_only_an_issues_address_will_do() -> None:
    with pytest.raises(ValueError, match="issue's address"):
        new_record(url="https://github.com/a/b/pull/1", today=TODAY)


@pytest.mark.django_db
class TestCommand:
    def test_it_writes_the_file_and_never_overwrites_one(self, tmp_path: Path) -> None:
        call_command("new_record", URL + "?x=1#issuecomment-2", root=tmp_path, stdout=StringIO())
        assert (tmp_path / "vllm-project__vllm/99.yaml").read_text().startswith(f"url: {URL}")
        with pytest.raises(CommandError, match="already exists"):
            call_command("new_record", URL, root=tmp_path)

    def test_mirror_and_history_are_asked(self) -> None:
        repository = ensure_repository(url=URL, framework="vllm")
        issue = make_issue(
            99, repository=repository, title="Theirs", state=State.CLOSED, comment_count=3,
            opened_at=dt.datetime(2025, 1, 1, tzinfo=dt.UTC),
        )  # fmt: skip
        issue.fixes.add(Fix.objects.create(url=PULL, kind=Fix.Kind.PULL_REQUEST))
        Change.objects.create(
            repository=repository, commit="a" * 40, pull_number=100, title="x", closes=[issue.url], is_fix=True,
            merged_at=dt.datetime(2025, 1, 9, tzinfo=dt.UTC), files=2, additions=3, deletions=1,
            first_releases=["0.7.0"],
        )  # fmt: skip
        facts = record_facts(url=issue.url)
        assert facts == RecordFacts("closed", dt.date(2025, 1, 1), None, 3, FACTS.fixes)
        assert "Theirs" not in new_record(url=issue.url, today=TODAY, facts=facts)

    def test_without_a_database_it_says_so_and_goes_on(self, tmp_path: Path) -> None:
        err = StringIO()
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE kb_issue RENAME TO kb_issue_away")
        call_command("new_record", URL, root=tmp_path, stdout=StringIO(), stderr=err)
        assert err.getvalue().startswith("The database does not answer")
        assert (tmp_path / "vllm-project__vllm/99.yaml").is_file()
