"""Reading what Gitee sends: states, codes, ids and moments, and whatever else may stand there."""

import datetime as dt
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.hosts.gitee.payloads import Size, read_closing, read_comment, read_issue, read_pull, read_size
from ingest.hosts.payload import UnreadableError
from kb.core.addresses import RepositoryAddress, issue_address, parse_issue_address

ISSUE: dict[str, Any] = {
    "id": 10108112,
    "html_url": "https://gitee.com/acme/rocket/issues/I60NGW",
    "repository_url": "https://gitee.com/api/v5/enterprises/house",
    "number": "I60NGW",
    "state": "progressing",
    "title": "It hangs",
    "body": None,
    "user": {"login": "reporter"},
    "labels": [{"name": "bug"}],
    "repository": {"full_name": "acme/rocket"},
    "created_at": "2022-11-11T11:42:33+08:00",
    "updated_at": "2022-11-16T17:06:59+08:00",
    "finished_at": None,
    "comments": 2,
}
PULL: dict[str, Any] = ISSUE | {
    "number": 22,
    "html_url": "https://gitee.com/acme/rocket/pulls/22",
    "state": "merged",
    "closed_at": None,
    "merged_at": "2022-11-12T11:42:33+08:00",
}
WHATEVER = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*ISSUE, "x"]), inner, max_size=4),
    max_leaves=8,
)


def test_an_issue_is_read_with_its_code_and_the_repository_that_it_is_in() -> None:
    issue = read_issue(ISSUE)
    assert (issue.ref, issue.node_id, issue.repository) == ("I60NGW", "gitee-issue-10108112", "acme/rocket")
    assert (issue.kind, issue.title, issue.body, issue.author) == ("issue", "It hangs", "", "reporter")
    assert (issue.host_labels, issue.comment_count, issue.author_association) == (("bug",), 2, "")
    assert issue.updated_at == dt.datetime(2022, 11, 16, 9, 6, 59, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("state", "meant"),
    [
        ("open", ("open", "", False)),
        ("progressing", ("open", "", False)),
        ("closed", ("closed", "completed", True)),
        ("rejected", ("closed", "not_planned", True)),
        ("thought about", ("unknown", "", False)),
    ],
)
def test_states_are_told_in_our_words(state: str, meant: tuple[str, str, bool]) -> None:
    issue = read_issue(ISSUE | {"state": state, "finished_at": "2022-11-20T00:00:00+08:00"})
    assert (issue.state, issue.state_reason, issue.closed_at is not None) == meant


def test_a_closing_before_the_beginning_is_none() -> None:
    assert read_issue(ISSUE | {"state": "closed", "finished_at": "2020-01-01T00:00:00+08:00"}).closed_at is None


def test_a_merged_pull_request_is_closed_when_it_was_merged() -> None:
    pull = read_pull(PULL)
    assert (pull.kind, pull.ref, pull.state, pull.node_id) == ("pull_request", "22", "closed", "gitee-pull-10108112")
    assert pull.closed_at == dt.datetime(2022, 11, 12, 3, 42, 33, tzinfo=dt.UTC)
    assert pull.repository == "acme/rocket"


def test_addresses_of_what_was_read_are_those_that_people_paste() -> None:
    for data, read in ((ISSUE, read_issue), (PULL, read_pull)):
        found = read(data)
        address = issue_address(
            RepositoryAddress("gitee.com", found.repository), found.ref, is_pull_request=found.kind == "pull_request"
        )
        assert address == found.url
        assert parse_issue_address(address).ref == found.ref


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"number": 12}, "not an issue's code: 12"),
        ({"number": "../../x"}, "not an issue's code"),
        ({"id": "10108112"}, "I60NGW has no id"),
        ({"updated_at": "yesterday"}, "I60NGW does not say when it was changed"),
    ],
)
def test_what_cannot_be_kept_says_why(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(UnreadableError, match=reason):
        read_issue(ISSUE | changes)


def test_a_pull_request_needs_a_number() -> None:
    with pytest.raises(UnreadableError, match="not a pull request's number: I60NGW"):
        read_pull(ISSUE)


def test_sizes_are_added_up_over_files_and_never_guessed() -> None:
    files = [{"additions": "3", "deletions": "1"}, {"additions": 4, "deletions": None}, {"additions": "many"}]
    assert read_size(files) == (7, 1, 3)
    assert read_size(files * 100) is None
    assert read_size(None) is None


def test_a_linked_pull_request_that_is_not_merged_has_no_date_of_merging() -> None:
    assert read_closing(PULL | {"state": "open"}, None).merged_at is None
    merged = read_closing(PULL, Size(1, 2, 3))
    assert (merged.state, merged.additions, merged.deletions, merged.files_changed) == ("merged", 1, 2, 3)


@given(WHATEVER, st.dictionaries(st.sampled_from(list(PULL)), WHATEVER, max_size=5))
def test_nothing_that_is_sent_breaks_the_reading(whole: object, changes: dict[str, Any]) -> None:
    for data in (whole, ISSUE | changes, PULL | changes):
        for read in (read_issue, read_pull, read_comment, lambda some: read_closing(some, None)):
            with suppress(UnreadableError):
                assert "\0" not in repr(read(data))
        read_size(data)
