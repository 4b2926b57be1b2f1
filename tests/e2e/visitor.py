"""Somebody who uses the site, and how many steps a task takes them."""

from playwright.sync_api import Locator, Page


class Visitor:
    """Counts the taps and clicks of a visitor; typing takes none."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.steps = 0

    def tap(self, target: Locator) -> None:
        self.steps += 1
        target.click()

    def ask(self, words: str, *, scripts: bool = True) -> None:
        """One tap into the box, the words, and Enter, which without scripts is the button."""
        box = self.page.get_by_role("textbox", name="Words")
        self.tap(box)
        box.fill(words)
        if scripts:
            box.press("Enter")
        else:
            self.tap(self.page.get_by_role("button", name="Search").first)
