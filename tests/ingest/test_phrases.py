"""Phrases in texts: words as people write them, quoted as they stand, never a part of another word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.suggest.phrases import Passage, Phrases

PHRASES = ("cuda out of memory", "hang", "oom", "tensor_parallel_size", "torch.compile", "卡住", "c++", "nan")
texts = st.text() | st.lists(
    st.sampled_from((*PHRASES, " ", "-", "_", "\n", "s", "x", "“", "’", "不", "İ", "\ud800", "CUDA Out\nof-memory"))
).map("".join)


def found_in(text: str, *phrases: str) -> list[str]:
    passage = Passage(text)
    return [passage.quote(one) for one in Phrases(phrases or PHRASES).find(passage)]


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        ("It hangs.", ["hangs"]),
        ("HANG", ["HANG"]),
        ("change of hanger", []),
        ("CUDA out of\nmemory", ["CUDA out of\nmemory"]),
        ("a CUDA-out-of-memory error", ["CUDA-out-of-memory"]),
        ("--tensor-parallel-size 2", ["tensor-parallel-size"]),
        ("torchxcompile", []),
        ("use torch.compile()", ["torch.compile"]),
        ("训练卡住了", ["卡住"]),
        ("报错OOM了", ["OOM"]),
        ("in c++ code", ["c++"]),
        ("nans", ["nans"]),
        ("nanny", []),
    ],
)
def test_words_are_found_whole_whatever_stands_between_them(text: str, quotes: list[str]) -> None:
    assert found_in(text) == quotes


def test_a_very_short_word_has_no_plural() -> None:
    assert found_in("oss", "os") == []


def test_phrases_within_each_other_are_all_found() -> None:
    assert found_in("kv cache quantization", "kv cache", "cache", "kv cache quantization") == [
        "kv cache",
        "cache",
        "kv cache quantization",
    ]


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("it hangs", False),
        ("it does not hang", True),
        ("it doesn’t hang", True),
        ("it never seems to hang", True),
        ("without any hang", True),
        ("No error. It hangs", False),
        ("it did not start\nhang", False),
        ("not one of the four or five runs I did would hang", False),
        ("不卡住", True),
        ("没有卡住", True),
        ("又卡住", False),
    ],
)
def test_what_the_sentence_denies_is_known(text: str, denied: bool) -> None:
    passage = Passage(text)
    (one,) = Phrases(("hang", "卡住")).find(passage)
    assert passage.denies(one) is denied


def test_nothing_to_look_for_finds_nothing() -> None:
    assert Phrases(()).find(Passage("hang")) == []


def test_an_empty_phrase_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one character"):
        Phrases(("hang", " "))


@given(texts)
def test_every_quote_is_what_stands_in_the_text(text: str) -> None:
    passage = Passage(text)
    for one in Phrases(PHRASES).find(passage):
        quote = passage.quote(one)
        assert quote in text
        plain = quote.lower().replace("_", " ").replace("-", " ").replace("\n", " ")
        assert plain.removesuffix("s") == one.phrase.replace("_", " ").removesuffix("s")
        assert passage.denies(one) in (True, False)
