"""What axe finds on a page."""

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page

from tests.e2e.conftest import NARROW, WIDE

# A width changes no colour, so that the narrow page is looked at in one theme.
LOOKS = ((WIDE, ("light", "dark")), (NARROW, ("light",)))

# The theme changes colours only, so that the dark one is looked at for those alone.
RULES = {
    "light": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "dark": ["color-contrast", "link-in-text-block"],
}


SCRIPT = Axe().axe_script
# No rule above reads style sheets, which axe would otherwise fetch and parse each time.
OPTIONS = {"resultTypes": ["violations"], "preload": {"assets": ["media"]}}
RUN = """async ([theme, options]) => {
    document.documentElement.dataset.bsTheme = theme;
    const { violations } = await axe.run(options);
    return violations.flatMap(rule => rule.nodes.map(node => `${rule.id}: ${node.html.slice(0, 120)}`));
}"""


def faults_of(page: Page, theme: str) -> list[str]:
    """What axe finds in a theme, one line for each element."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(SCRIPT)
    found: list[str] = page.evaluate(RUN, [theme, {**OPTIONS, "runOnly": RULES[theme]}])
    return found


def all_faults_of(page: Page, name: str) -> list[str]:
    """The same wide and narrow, in both themes, and what is wider than the screen; `name` stands before each."""
    found: list[str] = []
    for width, themes in LOOKS:
        page.set_viewport_size({"width": width, "height": 900})
        for theme in themes:
            found += [f"{name}, {width}, {theme}: {fault}" for fault in faults_of(page, theme)]
        wide = page.evaluate("document.documentElement.scrollWidth")
        found += [f"{name}: {wide} px wide on a screen of {width} px"] if wide > width else []
    return found


def sweep(page: Page, addresses: dict[str, str]) -> None:
    """Look at every page of these; they must have no fault."""
    found: list[str] = []
    for name, path in addresses.items():
        page.goto(path)
        found += all_faults_of(page, name)
    assert not found, "\n".join(found)
