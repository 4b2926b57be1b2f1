"""Importing issue dumps: hosts' oddities, copies of different age, and what stays ours."""

import datetime as dt
import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.imports.issues.load import import_issues
from ingest.imports.issues.shape import MirroredIssue, read_issue
from ingest.imports.outcomes import FileOutcome
from ingest.models import ImportRun
from ingest.rejections import Rejection
from kb.models import Issue, Kind, State
from tests.ingest.small import DATA, Write, needs_data
from tests.support.factories import make_issue

BASE: dict[str, Any] = {
    "number": 7,
    "title": "It hangs",
    "body": "For ever.",
    "labels": ["bug"],
    "state": "closed",
    "created_at": "2024-01-01T00:00:00Z",
    "closed_at": "2024-01-03T00:00:00Z",
    "updated_at": "2024-01-05T00:00:00Z",
    "comments": 3,
    "reactions": 2,
    "author_association": "NONE",
    "html_url": "https://github.com/deepspeedai/DeepSpeed/issues/7",
}
ImportDump = Callable[..., FileOutcome]


def dump(**changes: Any) -> dict[str, Any]:
    return {key: value for key, value in (BASE | changes).items() if value is not ...}


@pytest.fixture
def import_dump(db: None, write: Write) -> ImportDump:
    """Import objects, or lines as they are, as one JSON-lines file."""

    def run(*items: dict[str, Any] | str) -> FileOutcome:
        lines = [item if isinstance(item, str) else json.dumps(item) for item in items]
        return import_issues(files=[write(lines, "dump.jsonl")]).files[0]

    return run


def rejections() -> list[tuple[int, str]]:
    return list(ImportRun.objects.latest("pk").rejections.order_by("line").values_list("line", "reason"))


def test_a_whole_object_is_mirrored(import_dump: ImportDump) -> None:
    import_dump(dump())
    issue = Issue.objects.select_related("repository__framework").get()
    assert (issue.url, issue.ref, issue.kind, issue.state) == (BASE["html_url"], "7", Kind.ISSUE, State.CLOSED)
    assert (issue.title, issue.body, issue.host_labels) == ("It hangs", "For ever.", ["bug"])
    assert (issue.comment_count, issue.reaction_count, issue.author_association) == (3, 2, "NONE")
    assert issue.open_duration == dt.timedelta(days=2)
    assert issue.host_updated_at == dt.datetime(2024, 1, 5, tzinfo=dt.UTC)
    assert issue.repository.framework.slug == "deepspeed"


ODD: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "null body": ({"body": None}, {"body": ""}),
    "NUL in the body": ({"body": "a\0b"}, {"body": "ab"}),
    "half a surrogate pair": ({"body": "a\ud83db"}, {"body": "a\N{REPLACEMENT CHARACTER}b"}),
    "a whole surrogate pair": ({"body": "\ud83d\ude00"}, {"body": "😀"}),
    "65,536 characters": ({"body": "é" * 65_536}, {"body": "é" * 65_536}),
    "120,000 words": ({"body": "word%d " * 20_000}, {"body": "word%d " * 20_000}),
    "a null title": ({"title": None}, {"title": ""}),
    "line breaks in the title": ({"title": " a\r\nb "}, {"title": "a b"}),
    "labels as objects": ({"labels": [{"name": "bug"}, {"name": "bug"}, {"x": 1}, None]}, {"host_labels": ["bug"]}),
    "no labels": ({"labels": None}, {"host_labels": []}),
    "reactions as an object": ({"reactions": {"total_count": 9, "+1": 9}}, {"reaction_count": 9}),
    "no reactions": ({"reactions": ...}, {"reaction_count": None}),
    "comments as a list": ({"comments": [{}, {}]}, {"comment_count": 2}),
    "a null user": ({"user": None}, {"title": "It hangs"}),
    "an association nobody knows": ({"author_association": "EMPEROR"}, {"author_association": ""}),
    "a pull request by its key": ({"pull_request": {"url": "x"}}, {"kind": Kind.PULL_REQUEST}),
    "a null pull_request key": ({"pull_request": None}, {"kind": Kind.ISSUE}),
    "a pull request by its address": (
        {"html_url": BASE["html_url"].replace("issues", "pull")}, {"kind": Kind.PULL_REQUEST}
    ),
    "an old name": ({"html_url": "https://github.com/microsoft/DeepSpeed/issues/7"}, {"url": BASE["html_url"]}),
    "an API address only": (
        {"html_url": ..., "url": "https://api.github.com/repos/deepspeedai/DeepSpeed/issues/7"}, {"ref": "7"}
    ),
    "repository and number only": ({"html_url": ..., "repo": "deepspeedai/DeepSpeed"}, {"url": BASE["html_url"]}),
    "reopened, with the first closing date": ({"state": "open"}, {"state": State.OPEN, "closed_at": None}),
    "a state nobody knows": ({"state": "ajar"}, {"state": State.UNKNOWN}),
    "dates without a zone": (
        {"created_at": "2024-01-01 00:00:00"}, {"opened_at": dt.datetime(2024, 1, 1, tzinfo=dt.UTC)}
    ),
    "no dates at all": ({"created_at": None, "closed_at": None, "updated_at": None}, {"host_updated_at": None}),
}  # fmt: skip


@pytest.mark.parametrize(("change", "expected"), ODD.values(), ids=ODD)
def test_a_hosts_oddity_is_taken(change: dict[str, Any], expected: dict[str, Any], import_dump: ImportDump) -> None:
    assert import_dump(dump(**change)).taken == 1
    assert Issue.objects.values(*expected).get() == expected


BAD: dict[str, tuple[dict[str, Any] | str, str]] = {
    "no JSON": ("{", "json"),
    "no object": ("[1]", "shape"),
    "a blank line": ("", "blank"),
    "no address": (dump(html_url=...), "blank"),
    "a wrong address": (dump(html_url="https://github.com/a/b/discussions/7"), "bad-url"),
    "another number": (dump(number=8), "contradiction"),
    "an unlisted repository": (dump(html_url="https://github.com/acme/rocket/issues/7"), "unknown-repository"),
    "a title that is not text": (dump(title=["x"]), "shape"),
    "a count that is none": (dump(comments="many"), "shape"),
    "a count beyond all bounds": (dump(comments=10**12), "shape"),
    "a negative count": (dump(reactions=-1), "shape"),
    "a date that is none": (dump(created_at="yesterday"), "date"),
    "a date of another age": (dump(created_at="0001-01-01T00:00:00+14:00"), "date"),
    "a date that is a number": (dump(created_at=1700000000), "date"),
    "closed before opened": (dump(closed_at="2023-12-31T00:00:00Z"), "contradiction"),
}


@pytest.mark.parametrize(("item", "reason"), BAD.values(), ids=BAD)
def test_a_bad_object_is_told_and_costs_no_other(item: Any, reason: str, import_dump: ImportDump) -> None:
    other = dump(number=8, html_url=BASE["html_url"].replace("/7", "/8"))
    outcome = import_dump(other, item)
    assert rejections() == [(2, reason)]
    assert (outcome.taken, outcome.left_out) == (1, 1)
    assert Issue.objects.get().ref == "8"


def test_an_unlisted_repository_says_what_to_do(import_dump: ImportDump) -> None:
    outcome = import_dump(dump(html_url="https://github.com/acme/rocket/issues/7"))
    assert "unknown repository acme/rocket on github.com: add it to kb/core/frameworks.yaml" in outcome.examples[0]


class TestCopiesOfDifferentAge:
    def test_the_same_copy_changes_nothing(self, import_dump: ImportDump) -> None:
        import_dump(dump())
        before = Issue.objects.values().get()
        assert import_dump(dump()).written["unchanged issues"] == 1
        assert Issue.objects.values().get() == before

    def test_a_newer_copy_moves_what_is_mirrored(self, import_dump: ImportDump) -> None:
        import_dump(dump())
        import_dump(dump(title="It hung", state="open", closed_at=None, updated_at="2024-02-01T00:00:00Z", comments=9))
        issue = Issue.objects.get()
        assert (issue.title, issue.state, issue.closed_at, issue.comment_count) == ("It hung", State.OPEN, None, 9)

    @pytest.mark.parametrize("updated", ["2024-01-04T00:00:00Z", None])
    def test_an_older_copy_moves_nothing(self, updated: str | None, import_dump: ImportDump) -> None:
        import_dump(dump())
        before = Issue.objects.values().get()
        import_dump(dump(title="Old", body="Old", labels=[], comments=0, updated_at=updated))
        assert Issue.objects.values().get() == before

    def test_the_newest_copy_in_a_file_is_taken(self, import_dump: ImportDump) -> None:
        newer = dump(title="New", updated_at="2024-02-01T00:00:00Z")
        outcome = import_dump(dump(title="Old"), newer, dump(title="Old"))
        assert Issue.objects.get().title == "New"
        assert (outcome.taken, rejections()) == (1, [(1, "duplicate"), (3, "duplicate")])

    def test_our_own_words_stay(self, import_dump: ImportDump) -> None:
        issue = make_issue(7, heading="Ours", summary="Ours.", resolution="Ours.", workaround="Ours.", recognise=["x"])
        import_dump(dump())
        issue.refresh_from_db()
        assert (issue.heading, issue.summary, issue.resolution, issue.recognise) == ("Ours", "Ours.", "Ours.", ["x"])
        assert issue.title == "It hangs"

    def test_an_older_copy_still_brings_the_text_that_nobody_mirrored(self, import_dump: ImportDump) -> None:
        closed = dt.datetime(2025, 1, 1, tzinfo=dt.UTC)
        make_issue(7, state=State.CLOSED, opened_at=dt.datetime(2024, 1, 1, tzinfo=dt.UTC), closed_at=closed)
        import_dump(dump(state="open", closed_at=None))
        issue = Issue.objects.get()
        assert (issue.title, issue.state, issue.closed_at) == ("It hangs", State.CLOSED, closed)

    def test_a_pull_request_stays_one(self, import_dump: ImportDump) -> None:
        make_issue(7, kind=Kind.PULL_REQUEST)
        import_dump(dump())
        assert Issue.objects.get().kind == Kind.PULL_REQUEST

    def test_an_unknown_number_becomes_known_and_keeps_its_address(self, import_dump: ImportDump) -> None:
        issue = make_issue(7, kind=Kind.UNKNOWN)
        import_dump(dump(html_url=BASE["html_url"].replace("issues", "pull")))
        assert Issue.objects.values_list("pk", "kind", "url").get() == (issue.pk, Kind.PULL_REQUEST, issue.url)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("indent", [None, 2])
def test_arrays_and_gzip_are_read_too(db: None, indent: int | None, pack: Any, write: Write) -> None:
    items = [dump(number=n, html_url=BASE["html_url"].replace("/7", f"/{n}")) for n in (1, 2, 3)]
    file = write(pack(json.dumps(items, indent=indent).encode()), "dump.json.gz")
    assert import_issues(files=[file]).total.taken == 3


ANYTHING = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text()) | st.just({"a": 1})


@given(st.fixed_dictionaries({}, optional=dict.fromkeys((*BASE, "url", "repo", "pull_request", "user"), ANYTHING)))
def test_no_object_makes_the_reader_fail(data: dict[str, Any]) -> None:
    for item in (data, BASE | {key: value for key, value in data.items() if key != "html_url"}):
        assert isinstance(read_issue(item, line=1), MirroredIssue | Rejection)


@needs_data
@pytest.mark.real_data
def test_the_real_dumps_come_in_whole(db: None) -> None:
    files = sorted((DATA / "issues").glob("*.jsonl.gz"))
    outcome = import_issues(files=files)
    assert (outcome.total.read, outcome.total.taken) == (4_026, 4_026)
    counts = {r: Issue.objects.filter(repository__framework__slug=r).count() for r in ("vllm", "sglang", "llama-cpp")}
    assert counts == {"vllm": 1_416, "sglang": 1_062, "llama-cpp": 1_548}
    assert not any(import_issues(files=files).total.written[what] for what in ("new issues", "changed issues"))
