"""No answer is longer than it may be, whatever is in it; what was cut is said, and rows that were cut come next."""

from hypothesis import given
from hypothesis import strategies as st

from kb.core.tools.answers import Answer, FaultAnswer, FaultRow, SearchAnswer
from kb.core.tools.budget import AROUND, BYTES_PER_TOKEN, MOST_TOKENS, MOST_TOKENS_OF_MORE, fitted, sent_size

URL = "https://github.com/owner/name/issues/1"


def answer_of(texts: list[str], rows: int) -> SearchAnswer:
    return SearchAnswer(is_close=True, total=rows, start=40, faults=[row(text) for text in texts * rows][:rows])


def row(text: str) -> FaultRow:
    return FaultRow(id="owner/name#1", address=URL, certainty="likely", untrusted_title=text, untrusted_quote=text)


@given(st.lists(st.text(max_size=900), min_size=1, max_size=4), st.integers(0, 40), st.booleans())
def test_every_answer_fits(texts: list[str], rows: int, more: bool) -> None:
    answer = answer_of(texts, rows)
    data = fitted(answer, more=more)
    assert sent_size(data) <= BYTES_PER_TOKEN * (MOST_TOKENS_OF_MORE if more else MOST_TOKENS) - AROUND
    whole = SearchAnswer.model_validate(data)
    assert whole.left_out or whole == answer


def test_texts_are_shortened_before_rows_are_dropped() -> None:
    data = fitted(answer_of(["word " * 120], 5), more=False)
    assert len(data["faults"]) == 5
    assert data["faults"][0]["untrusted_quote"].endswith("…")
    assert "more=true" in data["left_out"]
    assert "next_cursor" not in data


def test_the_next_page_begins_with_the_first_row_that_was_dropped() -> None:
    data = fitted(answer_of(["word " * 20], 40), more=False)
    assert 0 < len(data["faults"]) < 40
    assert data["next_cursor"] == str(40 + len(data["faults"]))


def test_addresses_stay_whole_and_what_is_empty_is_left_out() -> None:
    answer: Answer = FaultAnswer(id="a/b#1", address=URL, certainty="likely", resolution="word " * 4_000)
    data = fitted(answer, more=False)
    assert set(data) == {"id", "address", "certainty", "resolution", "left_out"}
    assert data["address"] == URL
