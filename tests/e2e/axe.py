"""What axe finds on a page."""

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page

from tests.e2e.conftest import NARROW, WIDE

# The theme changes colours only, so that the dark one is looked at for those alone.
RULES = {
    "light": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "dark": ["color-contrast", "link-in-text-block"],
}


SCRIPT = Axe().axe_script
# No rule above reads style sheets, which axe would otherwise fetch and parse each time.
OPTIONS = {"resultTypes": ["violations"], "preload": {"assets": ["media"]}}
# Rows beyond these are made by the same lines of a template as the ones before; meanwhile they are out of the page. Not
# what has controls: the page's scripts ask for those at any time.
REPEATED = ":is(tbody > tr:nth-child(n+7), li:nth-child(n+13)):not(:has(input, select, textarea, button))"
RUN = """async ([theme, options, repeated]) => {
    document.documentElement.dataset.bsTheme = theme;
    const places = [...document.querySelectorAll(repeated)].map(row => [document.createComment(""), row]);
    for (const [place, row] of places) row.replaceWith(place);
    const { violations } = await axe.run(options);
    for (const [place, row] of places.reverse()) place.replaceWith(row);
    return violations.flatMap(rule => rule.nodes.map(node => `${rule.id}: ${node.html.slice(0, 120)}`));
}"""


def faults_of(page: Page, theme: str) -> list[str]:
    """What axe finds in a theme, one line for each element."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(SCRIPT)
    found: list[str] = page.evaluate(RUN, [theme, {**OPTIONS, "runOnly": RULES[theme]}, REPEATED])
    return found


def all_faults_of(page: Page, name: str, *, is_variant: bool = False) -> list[str]:
    """The same wide and narrow, in both themes, and what is wider than the screen; `name` stands before each.

    A width changes no colour, so that the narrow page is looked at in one theme. A variant of a page that was looked at
    before becomes narrow in the same way, so that only its width is measured there.
    """
    # A colour on its way from one theme to the other is neither of the two.
    page.emulate_media(reduced_motion="reduce")
    found: list[str] = []
    for width, themes in ((WIDE, ("light", "dark")), (NARROW, () if is_variant else ("light",))):
        page.set_viewport_size({"width": width, "height": 900})
        for theme in themes:
            found += [f"{name}, {width}, {theme}: {fault}" for fault in faults_of(page, theme)]
        wide = page.evaluate("document.documentElement.scrollWidth")
        found += [f"{name}: {wide} px wide on a screen of {width} px"] if wide > width else []
    return found


def sweep(page: Page, addresses: dict[str, str]) -> None:
    """Look at every page of these; they must have no fault. What a page is begins its name, up to the first dash."""
    found: list[str] = []
    kinds: set[str] = set()
    for name, path in addresses.items():
        kind = name.partition("-")[0]
        page.goto(path)
        found += all_faults_of(page, name, is_variant=kind in kinds)
        kinds.add(kind)
    assert not found, "\n".join(found)
