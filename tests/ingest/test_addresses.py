"""Addresses of issues: what is understood, what is refused, and that nothing else happens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.core.addresses import (
    HOSTS,
    BadAddressError,
    IssueAddress,
    RepositoryAddress,
    issue_address,
    parse_issue_address,
    parse_repository_address,
)
from kb.models import Host

DEEPSPEED = RepositoryAddress("github.com", "deepspeedai/DeepSpeed")
MINDSPORE = RepositoryAddress("gitee.com", "mindspore/mindspore")


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("https://github.com/deepspeedai/DeepSpeed/issues/5030", IssueAddress(DEEPSPEED, "5030", False)),
        ("http://www.github.com/deepspeedai/DeepSpeed/issues/5030/", IssueAddress(DEEPSPEED, "5030", False)),
        (
            "  https://GitHub.com/deepspeedai/DeepSpeed/issues/5030#issuecomment-1 ",
            IssueAddress(DEEPSPEED, "5030", False),
        ),
        ("https://github.com/deepspeedai/DeepSpeed/issues/005030?a=b", IssueAddress(DEEPSPEED, "5030", False)),
        ("https://github.com/deepspeedai/DeepSpeed/pull/7/files", IssueAddress(DEEPSPEED, "7", True)),
        ("https://api.github.com/repos/deepspeedai/DeepSpeed/issues/7", IssueAddress(DEEPSPEED, "7", False)),
        ("https://api.github.com/repos/deepspeedai/DeepSpeed/pulls/7", IssueAddress(DEEPSPEED, "7", True)),
        ("https://gitee.com/mindspore/mindspore/issues/i71v26", IssueAddress(MINDSPORE, "I71V26", False)),
        ("https://gitee.com/mindspore/mindspore/pulls/12", IssueAddress(MINDSPORE, "12", True)),
    ],
)
def test_an_address_is_understood_in_the_forms_that_people_paste(raw: str, expected: IssueAddress) -> None:
    assert parse_issue_address(raw) == expected


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("", "blank"),
        ("   ", "blank"),
        ("DeepSpeed#5030", "must begin with https://"),
        ("ftp://github.com/a/b/issues/1", "must begin with https://"),
        ("https://[::1/a/b/issues/1", "not a web address"),
        ("https://gitlab.com/a/b/issues/1", "unknown host 'gitlab.com'"),
        ("https://github.com/a/b", "ends before the number"),
        ("https://github.com/a/b/discussions/1", "'/discussions/' stands where '/issues/' is expected"),
        ("https://github.com/a/b/issues/latest", "'latest' is not a number"),
        ("https://github.com/a/b/issues/0", "not a number"),
        ("https://github.com/a/b/issues/12345678901", "not a number"),
        ("https://github.com/a/b/issues/١٢", "not a number"),
        ("https://github.com/a/../issues/1", "no host allows"),
        ("https://github.com/a\0/b/issues/1", "no host allows"),
        ("https://github.com/a/b\ud800/issues/1", "no host allows"),
        (f"https://github.com/a/{'b' * 300}/issues/1", "too long"),
        ("https://gitee.com/a/b/issues/71", "not an issue's code on Gitee"),
    ],
)
def test_any_other_address_is_refused_with_the_reason(raw: str, reason: str) -> None:
    with pytest.raises(BadAddressError, match=reason):
        parse_issue_address(raw)


def test_a_repository_is_told_from_any_address_below_it() -> None:
    assert parse_repository_address("https://github.com/deepspeedai/DeepSpeed.git") == DEEPSPEED
    assert parse_repository_address("https://github.com/deepspeedai/DeepSpeed/pull/7") == DEEPSPEED


def test_names_are_compared_without_regard_to_case() -> None:
    assert RepositoryAddress("github.com", "NVIDIA/NCCL").key == RepositoryAddress("github.com", "nvidia/nccl").key


def test_every_host_of_the_database_is_known() -> None:
    assert set(HOSTS) == set(Host.values)


@given(st.text())
def test_no_text_makes_the_parser_fail_otherwise(text: str) -> None:
    for raw in (text, f"https://github.com/{text}", f"https://github.com/a/b/issues/{text}"):
        try:
            address = parse_issue_address(raw)
        except BadAddressError:
            continue
        written = issue_address(address.repository, address.ref, is_pull_request=address.is_pull_request)
        assert parse_issue_address(written) == address
        assert len(address.ref) <= 20
