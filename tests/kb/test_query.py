"""What the search box's text means: the pure parser."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.search.query import MAX_CHARACTERS, MAX_TERMS, Reference, Term, parse


@given(st.text(alphabet=st.characters(), max_size=5_000))
def test_any_text_is_read_without_an_exception_and_within_bounds(text: str) -> None:
    query = parse(text)
    assert len(query.text) <= MAX_CHARACTERS
    assert len(query.terms) <= MAX_TERMS
    assert "\x00" not in query.text


@given(st.text(max_size=300))
def test_reading_is_stable_once_white_space_is_normal(text: str) -> None:
    once = parse(text)
    assert parse(once.text) == once


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("hang in ZeRO-3", (Term("hang"), Term("in"), Term("ZeRO-3"))),
        ('"illegal memory access" vllm', (Term("illegal memory access", is_phrase=True), Term("vllm"))),
        ("hang -inference", (Term("hang"), Term("inference", excluded=True))),
        ('hang -"data loading"', (Term("hang"), Term("data loading", is_phrase=True, excluded=True))),
        ("--tensor-parallel-size 2", (Term("--tensor-parallel-size"), Term("2"))),
        ("a-b", (Term("a-b"),)),
        ('"', ()),
        ("- -- && ***", ()),
        ('unbalanced "quote', (Term("unbalanced"), Term("quote"))),
    ],
)
def test_words_phrases_and_exclusions(text: str, terms: tuple[Term, ...]) -> None:
    assert parse(text).terms == terms


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("DeepSpeed#5030", Reference("5030", "DeepSpeed")),
        ("deepspeedai/DeepSpeed#5030", Reference("5030", "DeepSpeed", "deepspeedai")),
        ("mindspore#I71V26", Reference("I71V26", "mindspore")),
        (
            "https://github.com/vllm-project/vllm/issues/4135#issuecomment-1",
            Reference("4135", "vllm", "vllm-project", "github.com"),
        ),
        ("https://gitee.com/ascend/MindSpeed/issues/IBZ414", Reference("IBZ414", "MindSpeed", "ascend", "gitee.com")),
        ("C# binding", None),
        ("#5030", None),
    ],
)
def test_an_exact_issue_is_recognised(text: str, reference: Reference | None) -> None:
    assert parse(text).reference == reference


def test_over_long_text_is_cut_and_says_so() -> None:
    assert parse("word " * 1_000).was_cut
    assert not parse("word").was_cut
    assert parse("x " * (MAX_TERMS + 1)).was_cut


def test_only_exclusions_ask_for_nothing_in_particular() -> None:
    assert parse("-hang").is_empty
    assert parse("").is_empty
    assert not parse("hang").is_empty
