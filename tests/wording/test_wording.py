"""No reader meets a banned phrase: docs/wording.md."""

from pathlib import Path

import pytest

from tests.wording import texts
from tests.wording.banned import BANNED, PHRASES


def hits(text: str) -> list[str]:
    """The banned phrases in a text, each with what to write instead."""
    return [f"“{match[0]}”: {better}" for phrase, better in BANNED.items() for match in phrase.finditer(text)]


def test_no_banned_phrase_is_shown() -> None:
    shown = [f"{file}: {hit}, in: {text[:100]}" for file, text in texts.all_texts() for hit in hits(text)]
    assert not shown, "\n".join(shown)


@pytest.mark.parametrize(
    "text",
    [
        "What is behind what people see", "Mend what is named above, or take it away", "Take it along", "Away with it",
        "A process that prepares batches died, killed by a signal or without a word", "What came with it",
        "which of them were labelled was not left to chance", "Whose categories", "Narrow what is counted",
        "The run stopped without a word and went no further", "A short wait is sat out", "The commonest pairs",
        "An allocation failed because the memory that was asked for is not there", "two faults that are told apart",
        "no line, no missing line and no dump tells of", "lets its own group pass from then on; what stands below",
    ],
)  # fmt: skip
def test_the_examples_are_banned(text: str) -> None:
    assert hits(text)


@pytest.mark.parametrize(
    "text",
    [
        "Most common causes, by symptom", "Correct or remove these filters", "Export", "Follow-on errors", "Filter",
        "A DataLoader worker died", "not a random sample", "such as a filter", "What to do now", "so that it is",
        "What each category means", "Continue", "It amended the commit", "The recommended version", "behind the proxy",
    ],
)  # fmt: skip
def test_plain_words_are_not(text: str) -> None:
    assert hits(text) == []


def test_every_phrase_says_what_to_write_instead() -> None:
    assert all(better.strip() for better in PHRASES.values())


class TestTexts:
    def test_a_template_shows_text_and_some_attributes(self) -> None:
        source = '{% comment %}mend{% endcomment %}<a title="Shown" href="/hidden">in {{ x }} line</a>{# mend #}'
        assert {" ".join(text.split()) for text in texts.of_template(source)} == {"Shown", "in line"}

    def test_a_template_hands_texts_to_what_it_includes(self) -> None:
        source = '{% include "a.html" with heading="Nothing here" only %}'
        assert "Nothing here" in list(texts.of_template(source))

    def test_python_shows_its_strings_and_no_docstrings(self) -> None:
        source = '"""Mend."""\ndef f():\n    """Mend it."""\n    return "Shown to a reader", "key", "SELECT a FROM b"\n'
        assert list(texts.of_python(source)) == ["Shown to a reader"]

    def test_docs_are_read_without_code(self) -> None:
        assert " ".join(next(texts.of_page("Shown `mend`\n```\nmend\n```\ntoo")).split()) == "Shown too"

    def test_yaml_is_read_without_log_lines(self) -> None:
        source = "- means: Shown\n  examples: [mend this]\n  check: [Also shown]\n"
        assert list(texts.of_yaml(source)) == ["Shown", "Also shown"]

    def test_a_record_is_read_without_the_words_of_searches(self) -> None:
        source = "title: Shown\nalso_seen:\n  - training goes on\n  - mend it\nsummary: >-\n  Also shown.\n"
        assert " ".join(next(texts.of_record(source)).split()) == "title: Shown summary: >- Also shown."

    def test_every_kind_of_file_is_read(self) -> None:
        kinds = {(Path(file).parts[0], Path(file).suffix) for file, _ in texts.all_texts()}
        assert kinds >= {("templates", ".html"), ("templates", ".txt"), ("static", ".js"), ("README.md", ".md")}
        assert kinds >= {("kb", ".yaml"), ("docs", ".md")} | {(app, ".py") for app in texts.APPS}
