"""The pages under docs/ and beside it, taken apart: links, headings, code."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from config.embedded.layout import ROOT

FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
INLINE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
NOT_IN_AN_ANCHOR = re.compile(r"[^\w\- ]")


@dataclass(frozen=True)
class Page:
    """One file of Markdown."""

    path: Path

    def __str__(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @cached_property
    def text(self) -> str:
        """Everything."""
        return COMMENT.sub("", self.path.read_text(encoding="utf-8"))

    @cached_property
    def prose(self) -> str:
        """Everything but fenced code."""
        return FENCED.sub("", self.text)

    def blocks(self, *languages: str) -> Iterator[str]:
        """Fenced code in one of these languages; "" is code that names none."""
        return (code for language, code in FENCED.findall(self.text) if language in languages)

    @property
    def spans(self) -> list[str]:
        """Code within sentences and tables."""
        return INLINE.findall(self.prose)

    @property
    def links(self) -> list[str]:
        """Where its links lead."""
        return LINK.findall(self.prose)

    @property
    def anchors(self) -> set[str]:
        """What may follow `#`, as GitHub makes it of headings."""
        texts = (INLINE.sub(r"\1", heading) for heading in HEADING.findall(self.prose))
        return {NOT_IN_AN_ANCHOR.sub("", text.lower()).replace(" ", "-") for text in texts}


def pages(*patterns: str) -> list[Page]:
    """The pages that match; all that a reader of the repository meets unless patterns are given."""
    wanted = patterns or ("README.md", "CONTRIBUTING.md", "docs/**/*.md", "tests/*/**/README.md")
    found = [path for pattern in wanted for path in sorted(ROOT.glob(pattern))]
    return [Page(path) for path in found if "node_modules" not in path.parts]


GUIDES = pages("README.md", "CONTRIBUTING.md", "docs/*.md")
