"""Misspelt words: mended when the right one is near and often seen, else left as they are."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kb.core.search.normalise import stem
from kb.core.search.repair import MOST_REPAIRS, SEEN_OFTEN, SHORTEST, nearest, repair

VOCABULARY = (
    "deadlock", "quantization", "deepspeed", "tokenizer", "memory", "shared", "checkpoint", "timeout", "parallel",
    "tensor", "support", "model", "crash", "template", "token", "docker", "gradient", "overflow", "inference",
    "attention", "offload", "optimizer", "allocation", "distributed", "server",
)  # fmt: skip


class Dictionary:
    """Stems with how many issues hold each; `places` shuffles them."""

    def __init__(self, frequencies: dict[str, int]) -> None:
        self.frequencies = frequencies

    def words_starting(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        found = [(word, n) for word, n in self.frequencies.items() if word.startswith(prefix)]
        return sorted(found, key=lambda one: (-one[1], one[0]))[:limit]


KNOWN = Dictionary({stem(word): 40 + place for place, word in enumerate(VOCABULARY)})


def mended(typed: str, dictionary: Dictionary = KNOWN) -> str:
    """The stem that a word was taken for; itself when it was left alone."""
    found = repair([typed], dictionary.frequencies.__contains__, dictionary)
    return found[typed].word if found else typed


class TestMistakes:
    @pytest.mark.parametrize(
        ("typed", "meant"),
        [
            ("dedlock", "deadlock"), ("deadlok", "deadlock"), ("daedlock", "deadlock"), ("quantizaton", "quantization"),
            ("deepsped", "deepspeed"), ("tokenzier", "tokenizer"), ("memmory", "memory"), ("chekpoint", "checkpoint"),
            ("checkpiont", "checkpoint"), ("tiemout", "timeout"), ("paralel", "parallel"), ("modle", "model"),
            ("tempalte", "template"), ("dokcer", "docker"), ("suported", "support"), ("atention", "attention"),
            ("Dedlock", "deadlock"), ("chekpionts", "checkpoint"),
        ],
    )  # fmt: skip
    def test_are_mended(self, typed: str, meant: str) -> None:
        assert mended(typed) == stem(meant)

    @given(st.sampled_from([word for word in VOCABULARY if len(word) >= 8]), st.data())
    def test_any_one_mistake_behind_the_first_letter_of_a_long_word_is_mended(
        self, word: str, data: st.DataObject
    ) -> None:
        place = data.draw(st.integers(1, len(word) - 2))
        kind = data.draw(st.sampled_from(["lost", "extra", "wrong", "swapped"]))
        letter = data.draw(st.sampled_from("abcdefghijklmnopqrstuvwxyz"))
        typed = {
            "lost": word[:place] + word[place + 1 :],
            "extra": word[:place] + letter + word[place:],
            "wrong": word[:place] + letter + word[place + 1 :],
            "swapped": word[:place] + word[place + 1] + word[place] + word[place + 2 :],
        }[kind]
        assume(stem(typed) not in KNOWN.frequencies)
        assert mended(typed) == stem(word)


class TestRealWords:
    @given(st.sampled_from(VOCABULARY), st.sampled_from(["", "s", "ed", "ing"]))
    def test_are_never_touched(self, word: str, ending: str) -> None:
        typed = word + ending
        assume(stem(typed) in KNOWN.frequencies)
        assert mended(typed) == typed

    def test_a_real_word_is_left_though_another_one_is_near(self) -> None:
        near = Dictionary({"cash": 1, "crash": 900})
        assert mended("cash", near) == "cash"

    @pytest.mark.parametrize("typed", ["gpu", "H100", "cu121", "all_reduce", "显存溢出", "0.6.3", "tp2", "café"])
    def test_short_ones_identifiers_and_other_scripts_are_left(self, typed: str) -> None:
        assert mended(typed) == typed

    def test_nothing_near_is_nothing(self) -> None:
        assert nearest("kubernetes", KNOWN) is None

    def test_another_first_letter_makes_another_word(self) -> None:
        assert mended("teadlock") == "teadlock"

    def test_in_a_short_word_a_wrong_letter_makes_another_word(self) -> None:
        assert mended("modal") == "modal"


class TestChoice:
    def test_the_nearest_comes_before_the_most_frequent(self) -> None:
        assert mended("deadlok", Dictionary({"deadlock": 5, "deadli": 900})) == "deadlock"

    def test_of_equals_the_longest_and_then_the_most_frequent(self) -> None:
        assert mended("tokez", Dictionary({"toke": 9, "tokem": 9, "toker": 8})) in {"toke", "tokem"}

    def test_a_word_that_hardly_any_issue_holds_may_be_misspelt_itself(self) -> None:
        assert mended("dedlock", Dictionary({"deadlock": SEEN_OFTEN - 1})) == "dedlock"

    def test_only_some_words_are_tried(self) -> None:
        typed = [
            f"{word}{letter}" for word in ("deadloc", "quantizatio", "checkpoin", "distribute") for letter in "xqz"
        ]
        assert 0 < len(repair(typed, KNOWN.frequencies.__contains__, KNOWN)) <= MOST_REPAIRS

    @given(st.permutations(list(KNOWN.frequencies)), st.sampled_from(["dedlock", "tokenzier", "memmory", "modle"]))
    def test_is_the_same_in_whatever_order_words_are_listed(self, order: list[str], typed: str) -> None:
        class Shuffled(Dictionary):
            def words_starting(self, prefix: str, limit: int) -> list[tuple[str, int]]:
                return [(word, n) for word, n in self.frequencies.items() if word.startswith(prefix)][:limit]

        assert mended(typed, Shuffled({word: KNOWN.frequencies[word] for word in order})) == mended(typed)


@given(st.lists(st.text(max_size=20), max_size=8))
def test_never_fails_and_repairs_only_what_was_typed(typed: list[str]) -> None:
    found = repair(typed, KNOWN.frequencies.__contains__, KNOWN)
    assert found.keys() <= set(typed)
    for one in found.values():
        assert one.word in KNOWN.frequencies
        assert one.frequency == KNOWN.frequencies[one.word]
        assert len(one.typed) >= SHORTEST
