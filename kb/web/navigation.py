"""The main navigation: five sections, and which one a page belongs to. The header draws it; addresses are in `urls`."""

from typing import NamedTuple

from django.template import Library
from django.urls import reverse

register = Library()


class Section(NamedTuple):
    """An entry of the main navigation: its page, and the beginnings of the addresses that belong to it."""

    name: str
    page: str
    prefixes: tuple[str, ...]


class Entry(NamedTuple):
    """A section's link; `current` is the value of `aria-current`, empty on pages of other sections."""

    name: str
    url: str
    current: str


SECTIONS = (
    Section("Search", "search", ("/issues/",)),
    Section("Diagnose", "diagnose", ("/diagnose/",)),
    Section("Explore", "explore", ("/explore/", "/map/", "/upgrade/", "/releases/")),
    Section("Learn", "learn", ("/learn/", "/playbooks/", "/codebook/", "/studies/")),
    Section("About", "about", ("/about/",)),
)
LEARNING = (
    Section("Overview", "learn", ()),
    Section("Playbooks", "playbooks", ("/playbooks/",)),
    Section("Codebook", "codebook", ("/codebook/",)),
    Section("Studies", "studies", ("/studies/",)),
)


@register.simple_tag
def main_navigation(path: str) -> list[Entry]:
    """The five sections, as seen from the page at `path`."""
    return [_entry(section, path) for section in SECTIONS]


@register.simple_tag
def learn_navigation(path: str) -> list[Entry]:
    """The pages of the section Learn, as seen from the page at `path`."""
    return [_entry(section, path) for section in LEARNING]


def _entry(section: Section, path: str) -> Entry:
    url = reverse(section.page)
    if path == url:
        return Entry(section.name, url, "page")
    return Entry(section.name, url, "true" if path.startswith(section.prefixes) else "")
