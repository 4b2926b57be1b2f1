"""What axe finds on a page."""

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page

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
