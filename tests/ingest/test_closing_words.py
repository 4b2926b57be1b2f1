"""Which issues a pull request's text says it closes."""

import pytest

from ingest.hosts.closing_words import says_it_closes


@pytest.mark.parametrize(
    ("text", "refs"),
    [
        ("Fixes #12 and resolves: #13", {"12", "13"}),
        ("closes acme/rocket#7", {"7"}),
        ("closed https://github.com/acme/rocket/issues/8", {"8"}),
        ("closes other/rocket#9", set()),
        ("see #12", set()),
        ("Closes #IKCT51", {"IKCT51"}),
        ("fix #i60ngw:it hangs", {"I60NGW"}),
        ("fixes https://gitee.com/acme/rocket/issues/I60NGW", {"I60NGW"}),
    ],
)
def test_numbers_and_codes_are_found_behind_a_closing_word(text: str, refs: set[str]) -> None:
    assert says_it_closes(text, repository="acme/rocket") == refs
