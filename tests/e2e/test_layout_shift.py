"""No page moves while it is drawn: late fonts, scripts and buttons find their place kept."""

import pytest

from tests.e2e.addresses import PAGES
from tests.e2e.conftest import NARROW, WIDE, OpenPage

pytestmark = pytest.mark.e2e
MOST_SHIFT = 0.02
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
    moving = {}
    for name, path in addresses.items():
        page.goto(path, wait_until="networkidle", timeout=60_000)
        shifts = page.evaluate(
            "new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(window.shifts))))"
        )
        if sum(value for value, _ in shifts) > MOST_SHIFT:
            moving[name] = shifts
    assert moving == {}
