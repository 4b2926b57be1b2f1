"""Differences between two versions of a text."""

from hypothesis import given
from hypothesis import strategies as st

from labeling.web.setup.differences import differences

TEXTS = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=30).map("\n".join)


def test_what_was_removed_comes_before_what_stands_there_now() -> None:
    old, new = "one\ntwo\nthree", "one\ntwo and a half\nthree"
    kinds = [(line.kind, line.text) for line in differences(old, new)]
    assert kinds == [("same", "one"), ("removed", "two"), ("added", "two and a half"), ("same", "three")]


def test_what_is_the_same_is_left_out_but_for_some_lines_around() -> None:
    old = "\n".join(str(number) for number in range(40))
    lines = differences(old, old.replace("\n20\n", "\ntwenty\n"), context=1)
    assert [line.kind for line in lines] == ["gap", "same", "removed", "added", "same", "gap"]


def test_equal_texts_have_none() -> None:
    assert differences("a\nb", "a\nb\n") == []


@given(TEXTS, TEXTS)
def test_with_all_context_both_versions_can_be_read_from_it(old: str, new: str) -> None:
    lines = differences(old, new, context=100)
    if lines:
        assert [line.text for line in lines if line.kind in ("same", "removed")] == old.splitlines()
        assert [line.text for line in lines if line.kind in ("same", "added")] == new.splitlines()
    else:
        assert old.splitlines() == new.splitlines()
