"""Citations of our pages as plain text, BibTeX and CSL-JSON."""

import datetime as dt
import re
from dataclasses import dataclass
from typing import TypedDict

from kb.exports import Json

PUBLISHER = "Faultbook"
BIBTEX_SIGNS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


@dataclass(frozen=True)
class Item:
    """What is cited.

    `original_url`: the report that a record is about; `read_on`: when the record was written; `basis`: what the
    numbers rest on, such as a codebook's version.
    """

    key: str
    title: str
    page_url: str
    name: str = ""
    original_url: str = ""
    read_on: dt.date | None = None
    basis: str = ""


class Citation(TypedDict):
    """What a page's template shows."""

    citation: str
    bibtex: str


def cite(item: Item, *, accessed: dt.date) -> Citation:
    """The item as plain text and as BibTeX."""
    return {"citation": plain_text(item, accessed=accessed), "bibtex": bibtex(item, accessed=accessed)}


def item_key(*parts: str) -> str:
    """A citation key out of names: `faultbook-deepspeedai-deepspeed-860`."""
    words = re.findall(r"[a-z0-9]+", " ".join(parts).lower())
    return "-".join(("faultbook", *words))


def plain_text(item: Item, *, accessed: dt.date) -> str:
    """One paragraph for people."""
    title = item.title
    if title != PUBLISHER:
        title = f"{PUBLISHER}: “{title}”"
        if item.name:
            title += f" ({item.name})"
    record = f", record of {_day(item.read_on)}" if item.read_on else ""
    about = f" About the report {item.original_url}." if item.original_url else ""
    about += f" Based on the {item.basis}." if item.basis else ""
    return f"{title}{record}. {item.page_url} (accessed {_day(accessed)}).{about}"


def bibtex(item: Item, *, accessed: dt.date) -> str:
    """A `@misc` entry, which every BibTeX style knows."""
    about = rf"About the report \url{{{_address(item.original_url)}}}. " if item.original_url else ""
    about += f"Based on the {_escaped(item.basis)}. " if item.basis else ""
    fields = {
        "author": "{" + PUBLISHER + "}",
        "title": "{" + _escaped(item.title) + "}",
        "year": str((item.read_on or accessed).year),
        "howpublished": rf"\url{{{_address(item.page_url)}}}",
        "note": f"{about}Accessed {accessed.isoformat()}",
    }
    lines = ",\n".join(f"  {name:<12} = {{{value}}}" for name, value in fields.items())
    return f"@misc{{{item.key},\n{lines}\n}}\n"


def csl_json(item: Item, *, accessed: dt.date) -> list[Json]:
    """What citation managers import (CSL-JSON 1.0: a list of items)."""
    entry: dict[str, Json] = {
        "id": item.key,
        "type": "webpage",
        "title": item.title,
        "author": [{"literal": PUBLISHER}],
        "container-title": PUBLISHER,
        "URL": item.page_url,
        "accessed": {"date-parts": [[accessed.year, accessed.month, accessed.day]]},
    }
    if item.read_on:
        entry["issued"] = {"date-parts": [[item.read_on.year, item.read_on.month, item.read_on.day]]}
    if item.original_url:
        entry["note"] = f"About the report {item.original_url}"
    return [entry]


def _day(day: dt.date) -> str:
    return f"{day.day} {day:%B %Y}"


def _escaped(text: str) -> str:
    return "".join(BIBTEX_SIGNS.get(sign, sign) for sign in " ".join(text.split()))


def _address(url: str) -> str:
    """`url` as it may stand inside braces: an address never needs a raw brace, backslash or space."""
    return re.sub(r"[{}\\\s]", lambda sign: f"%{ord(sign.group()):02X}", url)
