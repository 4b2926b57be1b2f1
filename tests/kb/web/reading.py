"""Reads a page as a person or a browser does: its text, its links, and whatever the content policy forbids."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

from django.http.response import HttpResponseBase
from django.test import Client

Attributes = list[tuple[str, str | None]]


@dataclass
class Page(HTMLParser):
    """What a page holds."""

    text: str = ""
    links: dict[str, str] = field(default_factory=dict)
    inline: list[str] = field(default_factory=list)
    inputs: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__()
        self._link: str | None = None
        self._box: str | None = None
        self._silent = False

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        values = {name: value or "" for name, value in attrs}
        if (
            tag == "script"
            and "src" not in values
            and values.get("type") not in ("application/json", "application/ld+json")
        ):
            self.inline.append("script")
        self.inline += [name for name in values if name == "style" or name.startswith(("on", "hx-on"))]
        self.inline += ["style"] if tag == "style" else []
        self._silent = tag in ("script", "style", "title")
        if tag == "a":
            self._link = values.get("href", "")
            self.links.setdefault(self._link, "")
        if tag == "input":
            self.inputs[values.get("name", "")] = values.get("value", "")
        if tag == "textarea":
            self._box = values.get("name", "")
            self.inputs[self._box] = ""

    def handle_endtag(self, tag: str) -> None:
        self._silent = False
        if tag == "a":
            self._link = None
        if tag == "textarea":
            self._box = None

    def handle_data(self, data: str) -> None:
        if self._silent:
            return
        if self._box is not None:
            # Browsers leave out the line break that a box begins with.
            self.inputs[self._box] += data.removeprefix("\n")
            return
        self.text = f"{self.text} {data}"
        if self._link is not None:
            self.links[self._link] += data

    @property
    def words(self) -> str:
        """The text with its white space evened out."""
        return " ".join(self.text.split())


def read(response: HttpResponseBase) -> Page:
    """The page in a response."""
    page = Page()
    page.feed(b"".join(response).decode())
    return page


def visit(client: Client, url: str, *, status: int = 200, headers: dict[str, str] | None = None) -> Page:
    """Open a page that answers with `status`."""
    response = client.get(url, headers=headers)
    assert response.status_code == status, (url, response.status_code)
    return read(response)
