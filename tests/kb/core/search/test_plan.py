"""What is looked for: the telling words of what was typed, and how many of them an issue must have."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.core.search.language import parse
from kb.core.search.lexicon import PhraseBook, node_name, other_words
from kb.core.search.normalise import words
from kb.core.search.plan import (
    FEWEST_WANTED,
    MOST_POSTINGS,
    MOST_WANTED,
    STOP_WORDS,
    SYNONYM_WEIGHT,
    Plan,
    Vocabulary,
    least_steps,
    make_plan,
    words_to_count,
)

SIZE = 1_000
SOME = 50
FRAMEWORKS = PhraseBook([("vllm", "vllm"), ("Megatron-LM", "megatron-lm"), ("megatron", "megatron-lm")])


class Known:
    """A dictionary of a few words, each in `SOME` issues."""

    def __init__(self, *known: str) -> None:
        self.known = known

    def words_starting(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        return [(word, SOME) for word in self.known if word.startswith(prefix)][:limit]


def plan(
    text: str, frequencies: Mapping[str, int] | None = None, *, size: int = SIZE, known: Known | None = None
) -> Plan:
    """A plan where every word is in `SOME` issues unless told otherwise."""
    query = parse(text)
    counted = dict.fromkeys(words(text), SOME) | dict(frequencies or {})
    return make_plan(query, Vocabulary(counted, size), known or Known(), FRAMEWORKS)


def looked_for(found: Plan) -> list[list[str]]:
    """The words themselves of each wanted thing, without synonyms."""
    return [[word for word, weight in one.words if weight == 1] for one in found.text.wanted]


class TestWords:
    def test_stop_words_are_not_looked_for_but_no_and_not_are(self) -> None:
        assert looked_for(plan("why is the loss not going down")) == [["loss"], ["not"], ["go"], ["down"]]

    def test_stop_words_alone_are(self) -> None:
        assert looked_for(plan("what is it")) == [["what"], ["is"], ["it"]]

    def test_every_stop_word_is_one_as_it_is_indexed(self) -> None:
        assert {one for word in STOP_WORDS for one in words(word)} - STOP_WORDS == set()

    def test_a_word_of_nearly_all_issues_is_left_out_where_others_remain(self) -> None:
        assert looked_for(plan("gpu sharding", {"gpu": 900})) == [["shard"]]
        assert looked_for(plan("gpu", {"gpu": 900})) == [["gpu"]]

    def test_an_unknown_word_is_told_and_not_looked_for(self) -> None:
        found = plan("sharding frobnicate", {"frobnic": 0})
        assert looked_for(found) == [["shard"]]
        assert found.unknown == ("frobnic",)
        assert found.need.lost > 0

    def test_only_unknown_words_find_nothing_and_not_everything(self) -> None:
        found = plan("frobnicate", {"frobnic": 0})
        assert found.unknown == ("frobnic",)
        assert looked_for(found) == [["frobnic"]]

    def test_the_parts_of_an_identifier_are_one_thing(self) -> None:
        assert looked_for(plan("all_reduce hangs")) == [words("all_reduce"), ["hang"]]

    def test_what_is_said_twice_is_looked_for_once(self) -> None:
        assert looked_for(plan("shard Shard sharding")) == [["shard"]]

    def test_where_nothing_is_known_about_frequencies_all_words_count(self) -> None:
        found = plan("sharding frobnicate", {"frobnic": 0}, size=0)
        assert looked_for(found) == [["shard"], ["frobnic"]]
        assert found.unknown == ()


class TestSynonyms:
    def test_other_words_for_the_same_count_little(self) -> None:
        (one,) = plan("hang", {"stall": 9}).text.wanted
        assert dict(one.words) == {"hang": 1.0, "stall": SYNONYM_WEIGHT}

    def test_those_that_no_issue_or_nearly_every_one_has_do_not(self) -> None:
        (one,) = plan("hang", {"stall": 0, "stuck": 900}).text.wanted
        assert dict(one.words) == {"hang": 1.0}

    def test_their_frequencies_are_asked_for(self) -> None:
        assert set(words_to_count(parse("hang"), Vocabulary())) == {"hang", *other_words(["hang"])["hang"]}

    def test_a_label_that_everyday_speech_names_is_looked_for_and_a_phrase_names_it_more_surely(self) -> None:
        label = node_name("symptom", "wrong-output")
        (word,) = plan("gibberish", {label: 9}).text.wanted
        first, _ = plan("bad output", {label: 9}).text.wanted
        assert 0 < dict(word.words)[label] < dict(first.words)[label] < 1

    def test_a_word_that_no_issue_has_is_known_by_what_stands_for_it(self) -> None:
        found = plan("感叹号", {"感叹": 0, "叹号": 0, "exclam": 5})
        assert found.unknown == ()
        (wanted,) = found.text.wanted
        assert dict(wanted.words)["exclam"] == SYNONYM_WEIGHT
        assert set(found.need.weights.values()) == {Vocabulary({"exclam": 5}, SIZE).weight("exclam")}

    def test_an_alias_of_a_category_also_looks_for_the_categorys_name(self) -> None:
        known = Vocabulary({"awq": 5, "quantiz": 9}, 1_000, aliases={"awq": ("quantiz",)})
        assert "quantiz" in words_to_count(parse("awq"), known)
        (wanted,) = make_plan(parse("awq"), known, Known(), FRAMEWORKS).text.wanted
        assert wanted.words == (("awq", 1.0), ("quantiz", SYNONYM_WEIGHT))

    def test_all_words_that_a_plan_uses_were_counted(self) -> None:
        query = parse("all_reduce hangs in ZeRO-3")
        counted = set(words_to_count(query, Vocabulary()))
        found = make_plan(query, Vocabulary(dict.fromkeys(counted, SOME), SIZE), Known(), FRAMEWORKS)
        assert {word for one in found.text.wanted for word, _ in one.words} <= counted


class TestLeast:
    @pytest.mark.parametrize(
        ("number", "steps"), [(0, (1,)), (1, (1,)), (2, (2, 1)), (6, (2, 1)), (7, (3, 1)), (20, (6, 1)), (40, (12, 1))]
    )
    def test_a_share_must_be_there_else_any(self, number: int, steps: tuple[int, ...]) -> None:
        assert least_steps(number) == steps

    @given(st.integers(0, 200))
    def test_never_more_than_there_are_and_any_in_the_end(self, number: int) -> None:
        steps = least_steps(number)
        assert steps[-1] == 1
        assert list(steps) == sorted(steps, reverse=True)
        assert steps[0] <= max(1, number)


class TestPhrasesAndExclusions:
    def test_are_normalised_and_kept_apart(self) -> None:
        found = plan('shards "illegal Memory access" -windows -"data loading"')
        assert found.text.phrases == (tuple(words("illegal memory access")),)
        assert found.text.unwanted == (tuple(words("windows")), tuple(words("data loading")))
        assert looked_for(found) == [["shard"]]

    def test_of_signs_only_ask_for_nothing(self) -> None:
        assert plan('"..." shard').text.phrases == ()

    def test_alone_are_enough(self) -> None:
        assert not plan('"memory access"').text.is_empty


class TestPastes:
    TRACE = "\n".join(
        [
            *(f'  File "/opt/app/module{i}.py", line {i}, in call{i}' for i in range(200)),
            "RuntimeError: CUDA error: an illegal memory access was encountered",
        ]
    )

    def test_of_very_many_words_the_rarest_are_looked_for(self) -> None:
        rare = dict.fromkeys(words("illegal memory access encountered"), 2)
        found = plan(self.TRACE, rare)
        assert len(found.text.wanted) == MOST_WANTED
        assert set(rare) <= {word for run in looked_for(found) for word in run}

    def test_the_line_that_tells_is_read_however_late_it_stands(self) -> None:
        found = plan("noise\n" * 10_000 + "ValueError: frobnicate went wrong", {"frobnic": 1})
        assert ["frobnic"] in looked_for(found)

    def test_are_not_repaired(self) -> None:
        assert plan("dedlock\nin a log", {"dedlock": 0}, known=Known("deadlock")).repairs == ()


class TestRepairs:
    def test_the_word_that_was_meant_is_looked_for_and_told(self) -> None:
        found = plan("dedlock", {"dedlock": 0}, known=Known("deadlock"))
        assert looked_for(found) == [["deadlock"]]
        assert [(one.typed, one.word) for one in found.repairs] == [("dedlock", "deadlock")]
        assert found.unknown == ()


class TestFrameworks:
    @pytest.mark.parametrize("text", ["hang in Megatron-LM", "megatron hang", "hang MEGATRON_LM"])
    def test_named_in_the_text_are_known_to_ranking(self, text: str) -> None:
        assert plan(text).need.frameworks == {"megatron-lm"}


class TestLargeCollections:
    def test_an_engine_reads_no_more_than_it_can_in_good_time(self) -> None:
        many = dict.fromkeys(("alpha", "beta", "gamma", "delta", "epsilon"), MOST_POSTINGS // 3)
        found = plan("alpha beta gamma delta epsilon rare", many | {"rare": 3}, size=10_000_000)
        assert ["rare"] in looked_for(found)
        assert FEWEST_WANTED <= len(found.text.wanted) < 6
        assert set(found.need.weights) >= set(many)


TYPED = ("hang", "gpu", "all_reduce", "the", "is", "frobnicate", "显存", "--tp", "2", "0.6.3", "dedlock")
WORDS = st.lists(st.sampled_from(TYPED), max_size=60)


class TestProperties:
    @given(
        WORDS, st.dictionaries(st.sampled_from(["hang", "gpu", "frobnic", "dedlock", "stuck"]), st.integers(0, SIZE))
    )
    def test_hold_whatever_is_typed(self, typed: list[str], frequencies: dict[str, int]) -> None:
        found = plan(" ".join(typed), frequencies, known=Known("deadlock"))
        assert len(found.text.wanted) <= MOST_WANTED
        assert all(one.words for one in found.text.wanted)
        assert len(set(found.text.wanted)) == len(found.text.wanted)
        assert found.need.total > 0
        assert set(found.need.sequence) <= set(found.need.weights)
        assert found.least == least_steps(len(found.text.wanted))
