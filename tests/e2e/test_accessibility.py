"""Every page, wide and narrow, light and dark: nothing for axe to find, and nothing wider than the screen."""

import pytest

from tests.e2e.addresses import PAGES
from tests.e2e.axe import RULES, faults_of
from tests.e2e.conftest import NARROW, WIDE, OpenPage

pytestmark = pytest.mark.e2e


def test_every_page_is_clean(open_page: OpenPage) -> None:
    found: list[str] = []
    page = open_page("/", color_scheme="light", reduced_motion="reduce")
    for name, path in PAGES.items():
        page.goto(path)
        for width in (WIDE, NARROW):
            page.set_viewport_size({"width": width, "height": 900})
            for theme in RULES:
                found += [f"{name}, {width}, {theme}: {fault}" for fault in faults_of(page, theme)]
            wide = page.evaluate("document.documentElement.scrollWidth")
            found += [f"{name}: {wide} px wide on a screen of {width} px"] if wide > width else []
    assert not found, "\n".join(found)


def test_a_phone_shows_every_column_of_a_table(open_page: OpenPage) -> None:
    page = open_page("/", width=NARROW)
    for name in ("issue", "node", "studies", "study", "about"):
        page.goto(PAGES[name])
        hidden = page.locator(".scroll-box, .scroll-x").evaluate_all(
            "boxes => boxes.map(box => [box.scrollWidth - box.clientWidth, box.querySelectorAll('table').length])"
        )
        assert any(tables for _, tables in hidden), name
        assert [beyond for beyond, tables in hidden if tables and beyond] == [], name
