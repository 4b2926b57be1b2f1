"""For any text: an answer, always the same, in time that grows with the text alone, and no word that is not there."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.core.search.sections import split
from tests.ingest.suggest.examples import house_words, suggester
from tests.support.growth import MOST, growth

QUOTED = re.compile(r"“(.*?)”(?=;|\.|$)", re.DOTALL)
PIECES = (
    "[Bug]: ", "hangs", "CUDA out of memory", "RuntimeError: ", "\n", "\r\n", "```", "### ", "- [x] ", "<!--", "-->",
    "does not ", "File \"/a/lora/b.py\", line 1, in load_model", "WARNING ", "NCCL error", "kv_cache", "卡住", "不",
    "“", "”", "’", "[", "]", "(", ")", "\x00", "\ud800", "<br>", "![x](y)", " ", "Error: ", "**", "|", "#",
    "_No response_",
)  # fmt: skip
texts = st.text() | st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
labels = st.lists(texts, max_size=4)


@settings(max_examples=300)
@given(texts, texts, labels)
def test_any_report_is_answered_and_always_alike(title: str, body: str, host_labels: list[str]) -> None:
    found = suggester().suggest(title, body, host_labels)
    assert found == suggester().suggest(title, body, tuple(host_labels))
    known = {(node.axis, node.code) for node in house_words()}
    assert {(one.axis, one.node) for one in found} <= known
    assert all(0 < one.score <= 1 for one in found)


@settings(max_examples=300)
@given(texts, texts, labels)
def test_reasons_quote_what_stands_in_the_report(title: str, body: str, host_labels: list[str]) -> None:
    sections = split(body)
    places = (title, *host_labels, sections.prose, sections.log, *sections.telling, *frames(body))
    stands = [" ".join(place.split()) for place in places]
    for one in suggester().suggest(title, body, host_labels):
        quotes = QUOTED.findall(one.reason)
        assert quotes
        for quote in quotes:
            assert any(quote in place for place in stands), (quote, one)


def frames(body: str) -> list[str]:
    return re.findall(r'File "([^"\n]{1,300})", line \d+, in \S{1,80}', body)


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        " ",
        "[",
        "](",
        "<!--",
        "```",
        "# ",
        "**",
        "hang ",
        "not ",
        "RuntimeError: ",
        "Error",
        'File "',
        "卡住",
        "\n",
        "x: ",
    ],
)
def test_time_grows_with_the_text_and_not_with_its_square(piece: str) -> None:
    def suggest(size: int) -> object:
        text = piece * size
        return suggester().suggest(text, text, [text])

    assert growth(suggest, 16_000 // len(piece)) < MOST
