"""Headings of somebody's text on our page: below ours, in their order, none skipped."""

from hypothesis import given
from hypothesis import strategies as st

from kb.web.markup.headings import LAST, Levels
from kb.web.markup.markdown import render_document


def shown(levels: list[int], below: int) -> list[int]:
    walk = Levels(below=below)
    return [walk.enter(level) for level in levels]


def test_levels_that_an_author_skipped_are_closed_up() -> None:
    assert shown([3, 5, 5, 3, 1, 2], below=2) == [3, 4, 4, 3, 3, 4]


def test_what_is_deeper_than_html_goes_stands_at_its_last_level() -> None:
    assert shown([1, 2, 3, 4, 5, 6], below=2) == [3, 4, 5, 6, 6, 6]


@given(levels=st.lists(st.integers(1, 6)), below=st.integers(1, 3))
def test_none_is_skipped_none_rises_above_the_page_and_equals_stay_equal(levels: list[int], below: int) -> None:
    found = shown(levels, below)
    assert all(below < level <= LAST for level in found)
    assert all(after - before <= 1 for before, after in zip([below, *found], found, strict=False))
    neighbours = zip(levels, levels[1:], found, found[1:], strict=False)
    assert all(before == after for one, other, before, after in neighbours if one == other)


def test_a_document_begins_below_the_pages_first_heading() -> None:
    html = render_document("# Read\n\n### Why\n\n# Label")
    assert ("<h2>Read</h2>" in html, "<h3>Why</h3>" in html, "<h2>Label</h2>" in html) == (True, True, True)
