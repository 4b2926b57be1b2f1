"""The filter for general frameworks: whole words, in which field, and nothing that a form or a dump says."""

import gzip
import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.imports.records import open_records
from ingest.scope.keywords import KeywordsFile, Match, match, resolved, shipped_lists
from tests.ingest.small import DATA, needs_data

WORDS = ("llama", "kv cache", "title:transformer", "大模型", "FSDP")


def test_words_are_told_with_the_field_they_stand_in() -> None:
    found = match("Llama fails", "the KV-cache is full", ["module: fsdp"], WORDS)
    assert found == Match(True, (("llama", "title"), ("FSDP", "label"), ("kv cache", "body")))


@pytest.mark.parametrize("title", ["llamafile", "collama", "a kvcache"])
def test_a_part_of_a_word_is_no_word(title: str) -> None:
    assert match(title, "", [], WORDS) == Match(False)


def test_chinese_words_stand_anywhere() -> None:
    assert match("训练大模型报错", "", [], WORDS).because == (("大模型", "title"),)


def test_a_word_for_titles_does_not_count_in_the_body() -> None:
    assert not match("Slow", "A transformer, by the way.", [], WORDS).kept
    assert match("Transformer is slow", "", [], WORDS).because == (("transformer", "title"),)
    assert match("Slow", "", ["comp:transformer"], WORDS).because == (("transformer", "label"),)


def test_a_printed_out_environment_says_nothing() -> None:
    dump = "PyTorch version: 2.4\nIs debug build: False\nCUDA used to build PyTorch: 12.1\n[pip3] llama==0.1\n"
    assert not match("conv2d is wrong", f"```\n{dump}[conda] numpy\n```", [], WORDS).kept


def test_without_words_everything_is_kept() -> None:
    assert match("conv2d is wrong", "", [], ()) == Match(True)


def test_shipped_lists_have_the_words_of_those_they_include() -> None:
    lists = shipped_lists()
    assert set(lists) == {"llm", "pytorch", "tensorflow", "mindspore"}
    for name in ("pytorch", "tensorflow", "mindspore"):
        assert set(lists["llm"]) < set(lists[name])


@pytest.mark.parametrize("includes", ["nobody", "b", "a"])
def test_a_list_that_includes_itself_or_nobody_is_refused(includes: str) -> None:
    lists = [
        {"name": "a", "about": "A.", "includes": [includes], "words": ["x"]},
        {"name": "b", "about": "B.", "includes": ["a"], "words": ["y"]},
    ]
    with pytest.raises(ValueError, match=r"no keyword list|includes itself"):
        resolved(KeywordsFile.model_validate({"lists": lists}))


@given(st.text(), st.text(), st.lists(st.text(), max_size=3))
def test_any_text_is_answered_and_what_is_said_to_be_there_is_there(title: str, body: str, labels: list[str]) -> None:
    for words in shipped_lists().values():
        found = match(title, body, labels, words)
        assert found.kept is bool(found.because)
        assert found == match(title, body, labels, words)


def reports(name: str) -> Iterator[tuple[str, str, list[str]]]:
    """Title, body and labels of the issues of a project that is about language models."""
    with gzip.open(DATA / "issues" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield row["title"], row["body"] or "", row["labels"]


def titles(folder: str, file: str) -> Iterator[tuple[str, str, list[str]]]:
    """Titles of projects that are about other things, for the most part."""
    with open_records(DATA / folder / file) as (records, _print):
        for record in records:
            if hasattr(record, "cells"):
                yield str(record.cells["title"]), "", []


def share(found: Iterator[tuple[str, str, list[str]]], words: tuple[str, ...]) -> float:
    kept = [match(*one, words).kept for one in found]
    return sum(kept) / len(kept)


@needs_data
@pytest.mark.real_data
@pytest.mark.parametrize("name", ["vllm", "sglang", "llama_cpp"])
def test_issues_of_projects_about_language_models_are_kept(name: str) -> None:
    """Their surroundings say what they are about, so that some of them never name it."""
    assert share(reports(name), shipped_lists()["pytorch"]) >= 0.85


@needs_data
@pytest.mark.real_data
@pytest.mark.parametrize(
    ("folder", "file"), [("dl-compiler-bugs", "dataset.csv"), ("silent-bugs-keras", "issues_voting.csv")]
)
def test_titles_about_other_things_are_not(folder: str, file: str) -> None:
    assert share(titles(folder, file), shipped_lists()["pytorch"]) <= 0.02
