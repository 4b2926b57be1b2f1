"""Which issues of a general framework are about language models: by listed words, explained per issue. Pure.

PyTorch, TensorFlow and MindSpore serve everybody, so that only a part of their issues belongs here; study P5 kept
those that hold one of some 70 to 80 words per framework and published no reason per issue. The shipped lists
(`keywords.yaml`) are our own. Where lists are edited and what they left out is kept is not decided here.

Measured on real texts: of issues of projects that are about nothing else, the list for PyTorch keeps 92 % (vLLM), 90 %
(SGLang) and 86 % (llama.cpp); without the projects' own names 68 %, 73 % and 50 %, since who reports there need not say
what it is about. Of titles about other things it keeps 0.8 % (603 of compilers, 1,168 of Keras). So a list finds what
is about language models by its own words and misses some of what is so by its surroundings: people can overrule it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from ingest.suggest.phrases import Passage, Phrases
from kb.codebook.format import Code
from kb.core.search.sections import split
from kb.core.yaml_files import Strict, Text, read_yaml

SHIPPED = Path(__file__).with_name("keywords.yaml")
# In front of a word that says too little where it is only mentioned.
TITLE_ONLY = "title:"
MOST_TITLE = 1_000
MOST_COMPILED = 64

Field_ = Literal["title", "body", "label"]
FIELDS: tuple[Field_, ...] = ("title", "label", "body")


class KeywordList(Strict):
    """One list: its words, and the lists whose words it has too."""

    name: Code
    about: Text
    includes: tuple[Code, ...] = ()
    words: tuple[Text, ...] = Field(min_length=1)


class KeywordsFile(Strict):
    """`keywords.yaml`."""

    lists: tuple[KeywordList, ...]


@dataclass(frozen=True)
class Match:
    """Whether an issue belongs here, and because of which words in which field, each word once per field."""

    kept: bool
    because: tuple[tuple[str, Field_], ...] = ()


def match(title: str, body: str, labels: Sequence[str], words: Sequence[str]) -> Match:
    """Look for the words in an issue; no words keep everything.

    Capitals, `-`, `_` and line ends do not matter, words are whole ones, Chinese ones may stand anywhere. A word that
    begins with `title:` counts in titles and host labels only. Printed-out environments are not read: a list of
    installed packages says nothing about the fault. Raises `ValueError` for a word that holds nothing.
    """
    if not words:
        return Match(kept=True)
    anywhere, in_titles = _compiled(tuple(words))
    sections = split(body)
    texts: dict[Field_, list[str]] = {
        "title": [title[:MOST_TITLE]],
        "label": list(labels),
        "body": [sections.prose, sections.log],
    }
    because: list[tuple[str, Field_]] = []
    for field in FIELDS:
        for text in texts[field]:
            passage = Passage(text)
            occurrences = anywhere.find(passage)
            if field != "body":
                occurrences += in_titles.find(passage)
            because += [(occurrence.phrase, field) for occurrence in occurrences]
    return Match(bool(because), tuple(dict.fromkeys(because)))


@lru_cache(MOST_COMPILED)
def _compiled(words: tuple[str, ...]) -> tuple[Phrases, Phrases]:
    """Phrases for everywhere, and those for titles and labels only."""
    anywhere = [word for word in words if not word.startswith(TITLE_ONLY)]
    in_titles = [word.removeprefix(TITLE_ONLY) for word in words if word.startswith(TITLE_ONLY)]
    return Phrases(anywhere), Phrases(in_titles)


@cache
def shipped_lists() -> dict[str, tuple[str, ...]]:
    """The shipped lists by name, each with the words of the lists that it includes.

    Raises `pydantic.ValidationError`, or `ValueError` when a list includes one that is not there or itself.
    """
    return resolved(KeywordsFile.model_validate(read_yaml(SHIPPED)))


def resolved(file: KeywordsFile) -> dict[str, tuple[str, ...]]:
    """Name -> words, those of the included lists last. Raises as `shipped_lists`."""
    lists = {keywords.name: keywords for keywords in file.lists}

    def words_of(name: str, within: tuple[str, ...]) -> Iterator[str]:
        if name not in lists:
            raise ValueError(f"no keyword list is called {name}")
        if name in within:
            raise ValueError(f"the list {name} includes itself")
        yield from lists[name].words
        for included in lists[name].includes:
            yield from words_of(included, (*within, name))

    return {name: tuple(dict.fromkeys(words_of(name, ()))) for name in lists}
