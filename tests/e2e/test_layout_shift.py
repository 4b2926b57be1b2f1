"""No page moves while it is drawn: late fonts, scripts and buttons find their place kept."""

from collections.abc import Iterable
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.e2e.addresses import PAGES
from tests.e2e.conftest import NARROW, WIDE, OpenPage

pytestmark = pytest.mark.e2e
MOST_SHIFT = 0.02
# A processor so many times slower draws the beginning of a page before the rest is there; not each time.
SLOWER, OFTEN = 6, 4
NOTE_SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
        const moved = entry.sources.map(({ node }) => node?.textContent.trim().slice(0, 40));
        if (!entry.hadRecentInput) window.shifts.push([entry.value, moved]);
    }
}).observe({ type: "layout-shift", buffered: true });
"""
ADDRESSES = PAGES | {"api": "/api/docs/"}
# Variants of a page (what it is begins its name, up to the first dash) become narrow in the same way.
FIRST_OF_ITS_KIND = {name.partition("-")[0]: path for name, path in reversed(ADDRESSES.items())}


@pytest.mark.parametrize(
    ("width", "addresses"), [(WIDE, ADDRESSES), (NARROW, FIRST_OF_ITS_KIND)], ids=["wide", "narrow"]
)
def test_no_page_moves_while_it_is_drawn(open_page: OpenPage, width: int, addresses: dict[str, str]) -> None:
    page = open_page("/", width=width)
    page.add_init_script(NOTE_SHIFTS)
    assert moved(page, addresses.items()) == []


def test_no_page_moves_where_its_parts_are_drawn_one_by_one(open_page: OpenPage) -> None:
    page = open_page("/", width=WIDE)
    page.add_init_script(NOTE_SHIFTS)
    network = page.context.new_cdp_session(page)
    network.send("Network.setCacheDisabled", {"cacheDisabled": True})
    network.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    assert moved(page, [("home", "/"), ("learn", "/learn/")] * OFTEN) == []


def moved(page: Page, addresses: Iterable[tuple[str, str]]) -> list[tuple[str, Any]]:
    """The pages that move, with how far and which parts."""
    moving = []
    for name, path in addresses:
        page.goto(path, wait_until="networkidle", timeout=60_000)
        shifts = page.evaluate(
            "new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(window.shifts))))"
        )
        if sum(value for value, _ in shifts) > MOST_SHIFT:
            moving.append((name, shifts))
    return moving
