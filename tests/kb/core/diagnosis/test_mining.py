"""Kinds of lines by their words: the nearest group is found without asking all, and what is remembered has an end."""

from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from kb.core.diagnosis.parsing.mining import MOST_GROUPS, Branch, Group, Miner

WORDS = 6
texts = st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=WORDS, max_size=WORDS), min_size=1, max_size=40)


@given(texts, st.integers(0, WORDS - 1))
def test_the_nearest_group_is_the_one_that_asking_all_would_find(given_words: list[list[str]], floor: int) -> None:
    branch = Branch()
    for words in given_words:
        same = [sum(map(str.__eq__, group.words, words)) for group in branch.groups]
        most = max(same, default=0)
        expected = (branch.groups[same.index(most)], most) if most > floor else (None, floor)
        assert branch.nearest(words, floor) == expected
        branch.add(Group(words))


def test_lines_that_differ_in_a_word_are_one_kind() -> None:
    miner = Miner()
    groups = [miner.group(f"worker {name} joined the group in time") for name in ("alpha", "beta", "gamma")]
    assert len({id(group) for group in groups}) == 1
    assert groups[0].text == "worker <*> joined the group in time"
    assert miner.group("something else was written here now") is not groups[0]


def test_what_is_remembered_has_an_end() -> None:
    miner = Miner()
    with patch.multiple("kb.core.diagnosis.parsing.mining", MOST_TEXTS=50, MOST_BRANCHES=30):
        for number in range(200):
            words = f"{number:b}".translate({48: "y", 49: "z"})
            assert miner.group(f"{words} a b c d").words[0] == words
        assert (len(miner._exact), len(miner._branches)) == (50, 30)
    for number in range(2 * MOST_GROUPS):
        miner.group(" ".join(["same", *(f"{number:b}".translate({48: "y", 49: "z"}) + letter for letter in "abcd")]))
    assert max(len(branch.groups) for branch in miner._branches.values()) <= MOST_GROUPS
