"""Levels of headings in somebody's text: below those of the page that it stands on, and none skipped. Pure.

Authors choose a level by how large it looks, and the forms of hosts begin with the third; who reads by headings would
look for those between.
"""

LAST = 6


class Levels:
    """Walks through one text; `below` is the level of the page's heading that the text stands under."""

    def __init__(self, *, below: int) -> None:
        self._below = below
        self._above: list[int] = []

    def enter(self, level: int) -> int:
        """The level to show the text's next heading at, for the one (1 to 6) that its author gave it."""
        self._above = [*(above for above in self._above if above < level), level]
        return self.here

    @property
    def here(self) -> int:
        """The level of the heading that was entered last."""
        return min(LAST, self._below + len(self._above))
