"""The file of everyday words is well formed, and its groups are found in texts."""

from collections import Counter

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kb.codebook.format import parents_of, read_house, walk
from kb.codebook.load import HERE
from kb.core.search.chinese import parts
from kb.core.search.lexicon import EVERYDAY, PhraseBook, everyday, everyday_nodes, node_name, other_words
from kb.core.search.normalise import CJK, words

MOST_GROUPS = 3
CONTENT = yaml.safe_load(EVERYDAY.read_text(encoding="utf-8"))
GROUPS: list[list[str]] = CONTENT["groups"]


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


class TestOtherWords:
    def test_are_those_of_the_groups_and_the_names_of_nodes(self) -> None:
        others = other_words(words("training is stuck"))["stuck"]
        assert {*words("hang deadlock"), "卡住", node_name("symptom", "hang")} <= others.keys()

    @pytest.mark.parametrize("phrase", ["never finishes", "感叹号", "显存不够", "exit code 137"])
    def test_each_word_of_a_phrase_has_those_of_the_phrase(self, phrase: str) -> None:
        sought = words(phrase)
        first, *rest = (set(other_words(sought)[word]) for word in sought)
        common = first.intersection(*rest)
        assert common
        assert not common & set(other_words(sought[:1]).get(sought[0], ()))

    def test_a_word_of_no_group_has_none(self) -> None:
        assert other_words(words("frobnicate")) == {}

    @pytest.mark.parametrize("text", ["runs out of GPU memory", "CUDA out of memory", "out of host memory", "爆显存"])
    def test_memory_that_runs_out_is_known_by_its_short_name(self, text: str) -> None:
        assert everyday().places(["oom"]).keys() <= everyday().places(words(text)).keys()


class TestNodes:
    """The words of nodes: every node exists, every symptom has words in both languages, and no word contradicts."""

    HOUSE = read_house(HERE / "house.yaml")
    NODES: dict[str, list[str]] = CONTENT["nodes"]
    # One word may name a symptom and its causes; of symptoms that shut each other out, it may name one.
    # “killed” and its exit codes are what both kinds of death look like; “crash” in Chinese is said of a loss, too.
    SHARED = frozenset(
        tuple(words(phrase))
        for phrase in (
            "out of memory", "oom", "killed", "exit code -9", "exit code 137", "return code -9", "137", "内存溢出",
            "崩了", "崩溃",
        )
    )  # fmt: skip

    def test_every_node_is_an_active_one(self) -> None:
        known = {f"{axis}/{code}" for axis, code in parents_of(self.HOUSE)}
        assert set(self.NODES) - known == set()

    def test_every_symptom_that_is_chosen_has_words_also_in_chinese(self) -> None:
        symptoms = next(axis for axis in self.HOUSE.axes if axis.code == "symptom")
        chosen = [node.code for node, _ in walk(symptoms.nodes) if node.status == "active" and not node.children]
        for code in chosen:
            phrases = self.NODES[f"symptom/{code}"]
            assert len(phrases) >= 2, code
            assert code == "pipeline-failure" or any(CJK.match(phrase) for phrase in phrases), code

    def test_every_phrase_is_text_with_words_and_stands_once(self) -> None:
        for path, phrases in self.NODES.items():
            keys = [tuple(words(phrase)) for phrase in phrases]
            assert all(keys), path
            assert len(set(keys)) == len(keys), path

    def test_no_word_names_two_symptoms_without_reason(self) -> None:
        """A symptom and one below it, which says more, may share a word."""
        parents = parents_of(self.HOUSE)
        of_phrase: dict[tuple[str, ...], set[str]] = {}
        for path, phrases in self.NODES.items():
            axis, _, code = path.partition("/")
            if axis == "symptom":
                for phrase in phrases:
                    of_phrase.setdefault(tuple(words(phrase)), set()).add(code)
        for key, codes in of_phrase.items():
            apart = {code for code in codes if parents["symptom", code] not in codes}
            assert len(apart) == 1 or key in self.SHARED, (key, codes)

    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ("process killed with exit code -9", "oom-host"),
            ("exited with code 139", "native-crash"),
            ("it never returns", "hang"),
            ("garbage output", "wrong-output"),
            ("训练不收敛", "divergence"),
            ("输出全是乱码", "wrong-output"),
            ("跑着跑着掉卡", "worker-death"),
        ],
    )
    def test_what_people_say_names_the_symptom(self, text: str, code: str) -> None:
        spoken = [word for run in text.split() for part in parts(run) for word in words(part)]
        assert node_name("symptom", code) in everyday_nodes().places(spoken)


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
