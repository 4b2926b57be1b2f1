"""The file of everyday words is well formed, and its groups are found in texts."""

from collections import Counter

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kb.search.lexicon import EVERYDAY, PhraseBook, alike, everyday
from kb.search.normalise import words

MOST_GROUPS = 3
GROUPS: list[list[str]] = yaml.safe_load(EVERYDAY.read_text(encoding="utf-8"))["groups"]


class TestFile:
    def test_every_phrase_is_text_with_words(self) -> None:
        """An unquoted `nan`, `on` or `4` in YAML is not text."""
        assert [
            phrase for group in GROUPS for phrase in group if not isinstance(phrase, str) or not words(phrase)
        ] == []

    def test_a_group_has_at_least_two_phrases_and_none_twice(self) -> None:
        for group in GROUPS:
            assert len(group) == len({phrase.lower() for phrase in group}), group
            assert len({tuple(words(phrase)) for phrase in group}) >= 2, group

    def test_a_phrase_in_many_groups_means_nothing(self) -> None:
        groups = Counter(phrase for group in GROUPS for phrase in {tuple(words(phrase)) for phrase in group})
        assert {phrase: count for phrase, count in groups.items() if count > MOST_GROUPS} == {}

    def test_no_two_groups_are_the_same(self) -> None:
        assert len({frozenset(tuple(words(phrase)) for phrase in group) for group in GROUPS}) == len(GROUPS)


class TestAlike:
    def test_goes_both_ways_and_never_to_itself(self) -> None:
        for word, others in alike().items():
            assert word not in others
            assert all(word in alike()[other] for other in others)

    def test_names_what_practitioners_say(self) -> None:
        assert set(words("stuck deadlock")) <= set(alike()["hang"])

    @pytest.mark.parametrize("text", ["runs out of GPU memory", "CUDA out of memory", "out of host memory"])
    def test_memory_that_runs_out_is_known_by_its_short_name(self, text: str) -> None:
        assert everyday().places(["oom"]).keys() <= everyday().places(words(text)).keys()


class TestPhraseBook:
    BOOK = PhraseBook([("out of memory", "oom"), ("oom", "oom"), ("memory leak", "leak"), ("!!", "nothing")])

    @pytest.mark.parametrize(
        ("text", "places"),
        [
            ("CUDA out of memory", {"oom": {1, 2, 3}}),
            ("OOM: out of memory leak", {"oom": {0, 1, 2, 3}, "leak": {3, 4}}),
            ("memory out of", {}),
            ("", {}),
        ],
    )
    def test_phrases_are_found_where_they_stand(self, text: str, places: dict[str, set[int]]) -> None:
        assert self.BOOK.places(words(text)) == places

    def test_the_first_end_of_each_is_told(self) -> None:
        text = f" {' '.join(words('a memory leak: oom, oom'))} "
        assert self.BOOK.names(text) == {"leak": len(" a memori leak "), "oom": len(" a memori leak oom ")}

    @given(st.lists(st.sampled_from(words("hang stuck out of memory tool call x")), max_size=12))
    def test_names_and_places_agree(self, text: list[str]) -> None:
        places = everyday().places(text)
        assert everyday().names(f" {' '.join(text)} ").keys() == places.keys()
        assert all(0 <= place < len(text) for found in places.values() for place in found)
