"""Every page to read, wide and narrow, light and dark: nothing for axe to find, and nothing wider than the screen."""

import pytest

from tests.e2e.addresses import PAGES, READING
from tests.e2e.axe import sweep
from tests.e2e.conftest import NARROW, OpenPage

pytestmark = pytest.mark.e2e


def test_every_page_is_clean(open_page: OpenPage) -> None:
    sweep(open_page("/", color_scheme="light", reduced_motion="reduce"), READING)


def test_a_phone_shows_every_column_of_a_table(open_page: OpenPage) -> None:
    page = open_page("/", width=NARROW)
    for name in ("issue", "node", "studies", "study", "about", "quality"):
        page.goto(PAGES[name])
        hidden = page.locator(".scroll-box, .scroll-x").evaluate_all(
            "boxes => boxes.map(box => [box.scrollWidth - box.clientWidth, box.querySelectorAll('table').length])"
        )
        assert any(tables for _, tables in hidden), name
        assert [beyond for beyond, tables in hidden if tables and beyond] == [], name
