"""Heading levels of an embedded text: below the page's own, and none skipped. Pure.

Authors choose levels by their size, and the issue forms of hosts begin with the third; users of screen readers would
look for the missing ones.
"""

LAST = 6


class Levels:
    """The headings of one text in order; `below` is the level of the page's heading above the text."""

    def __init__(self, *, below: int) -> None:
        self._below = below
        self._above: list[int] = []

    def enter(self, level: int) -> int:
        """The level at which to show the next heading, whose author chose `level` (1 to 6)."""
        self._above = [*(above for above in self._above if above < level), level]
        return self.here

    @property
    def here(self) -> int:
        """The shown level of the last heading."""
        return min(LAST, self._below + len(self._above))
