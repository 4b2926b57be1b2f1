"""Quotations: found where they are said once, however they were copied, and otherwise said to be missing or unclear."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from labeling.ballots import Passage
from labeling.refusals import RefusedError
from labeling.web.work.quotations import locate

CONTENT = {
    "title": "Training hangs",
    "body": "It **hangs** in [forward](https://example.org/f),\r\nafter `step 3`.\n\n> rank 3 waits\n> for ever\n\nok",
}


def quoted(passage: Passage) -> str:
    """The words of a passage."""
    return CONTENT[passage.part][passage.start : passage.end]


@pytest.mark.parametrize(
    ("quotation", "words"),
    [
        ("Training", "Training"),
        ("  rank 3 waits\n", "rank 3 waits"),
        ("hangs in forward, after step 3", "hangs** in [forward](https://example.org/f),\r\nafter `step 3"),
        ("rank 3 waits for ever", "rank 3 waits\n> for ever"),
    ],
)
def test_a_quotation_is_found_as_it_was_written_or_as_it_is_seen(quotation: str, words: str) -> None:
    assert quoted(locate(CONTENT["title"], CONTENT["body"], quotation)) == words


def test_it_is_for_the_axis_that_was_named() -> None:
    assert locate(CONTENT["title"], CONTENT["body"], "for ever", axis="symptom").axis == "symptom"


@pytest.mark.parametrize(
    ("quotation", "says"),
    [
        ("rank 4 waits", "is not in the title or the text"),
        ("hangs", "is there 2 times"),
        ("ok", "a few more characters"),
        ("***", "is not in the title"),
        ("x" * 100, "…”"),
    ],
)
def test_what_is_missing_or_unclear_is_said(quotation: str, says: str) -> None:
    with pytest.raises(RefusedError, match=says):
        locate(CONTENT["title"], CONTENT["body"], quotation)


def test_an_issue_without_a_text_has_its_title() -> None:
    assert locate("It hangs", "", "hangs").part == "title"


@given(st.text(alphabet="ab *\n", min_size=3, max_size=60), st.data())
def test_what_is_copied_from_a_text_is_found_unless_it_is_there_again(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 3))
    wanted = text[start : data.draw(st.integers(start + 3, len(text)))].strip()
    assume(len(wanted) >= 3)
    if text.count(wanted) == 1:
        found = locate("", text, wanted)
        assert text[found.start : found.end] == wanted
    elif len(wanted) > 3 and text.count(wanted) > 1:
        with pytest.raises(RefusedError, match="times"):
            locate("", text, wanted)
