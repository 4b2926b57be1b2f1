"""Every page, wide and narrow, light and dark: nothing for axe to find, and nothing wider than the screen."""

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page

from tests.e2e.addresses import PAGES
from tests.e2e.conftest import NARROW, WIDE, OpenPage

pytestmark = pytest.mark.e2e
# The theme changes colours only, so that the dark one is looked at for those alone.
RULES = {
    "light": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "dark": ["color-contrast", "link-in-text-block"],
}


def faults_of(page: Page, theme: str) -> list[str]:
    """What axe finds in a theme, one line for each element."""
    page.evaluate("theme => { document.documentElement.dataset.bsTheme = theme }", theme)
    options = {"runOnly": RULES[theme], "resultTypes": ["violations"]}
    violations = Axe().run(page, options=options).response["violations"]
    return [f"{rule['id']}: {node['html'][:120]}" for rule in violations for node in rule["nodes"]]


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
