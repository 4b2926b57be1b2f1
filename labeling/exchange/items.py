"""Reads and writes files of own items, CSV or JSON lines; rows that cannot be taken are rejected by their lines.

What is in the project already is checked in `item_intake`.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TextIO
from urllib.parse import quote

from kb.exports.tables import csv_lines, original
from labeling.exchange.rows import Rejected
from labeling.exchange.values import UnreadableError, objects
from labeling.models.items import MOST_ADDRESS, MOST_KEY, MOST_TEXT, MOST_TITLE, url_of

# Field -> the names that a file may have for it, the first of which we write.
NAMES = {"id": ("id", "key"), "title": ("title",), "text": ("text", "body"), "address": ("address", "url", "link")}
SEPARATORS = ",;\t"
ADDRESS = re.compile(r"https?://[^\s/?#]+\S*")
NOT_UTF_8 = re.compile("[\ud800-\udfff]")
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
FORMATS = {"csv": "text/csv", "jsonl": "application/jsonl"}


@dataclass(frozen=True)
class ItemRow:
    """An item as a file gives it."""

    line: int
    key: str
    title: str
    body: str
    address: str

    @property
    def url(self) -> str:
        """What names it in files and releases."""
        return url_of(key=self.key, address=self.address)


Rows = Iterator[ItemRow | Rejected]


def read(content: bytes) -> Rows:
    """The items of a file, each id and address once. Raises UnreadableError for a file that is of neither format."""
    if content.startswith(UTF_16):
        raise UnreadableError("The file is not UTF-8. Save it as UTF-8 and try again.")
    start = content[:100].removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"["):
        raise UnreadableError("This is one JSON array. Write each object on a line of its own instead.")
    # What is not UTF-8 is read as characters that no text may have, so that only its row is rejected.
    lines = io.TextIOWrapper(io.BytesIO(content), "utf-8-sig", errors="surrogateescape", newline="")
    line_of: dict[str, int] = {}
    for row in _json_rows(lines) if start.startswith(b"{") else _csv_rows(lines, len(content)):
        if isinstance(row, Rejected):
            yield row
        elif reason := _fault(row):
            yield Rejected(row.line, reason)
        elif earlier := line_of.get(row.key) or line_of.get(row.url):
            yield Rejected(row.line, f"Its id or address is on line {earlier} already.")
        else:
            line_of[row.key] = line_of[row.url] = row.line
            yield row


def write(rows: Iterable[tuple[str, str, str, str]], format_: str) -> Iterator[str]:
    """The file of these items: id, title, text, address."""
    if format_ == "csv":
        yield from csv_lines([tuple(NAMES)])
        yield from csv_lines(rows)
        return
    for row in rows:
        yield json.dumps(dict(zip(NAMES, row, strict=True)), ensure_ascii=False) + "\n"


def _csv_rows(lines: TextIO, size: int) -> Rows:
    first = lines.readline()
    separator = max(SEPARATORS, key=first.count)
    columns = {original(name).strip().casefold(): place for place, name in enumerate(_cells(first, separator))}
    places = {field: columns[name] for field, names in NAMES.items() for name in reversed(names) if name in columns}
    if "id" not in places or not {"title", "text"} & places.keys():
        raise UnreadableError("The first line must name the columns: id, and title or text, or both; perhaps address.")
    # Else a cell of more than 128 KB would end the file.
    csv.field_size_limit(max(csv.field_size_limit(), size))
    reader = csv.reader(lines, delimiter=separator)
    for cells in reader:
        line = reader.line_num + 1
        if len(cells) > len(columns):
            yield Rejected(line, "It has more cells than the first line: put texts with a separator into quotes.")
        elif cells:
            yield _item(line, {field: original(cells[at]) for field, at in places.items() if at < len(cells)})


def _cells(line: str, separator: str) -> list[str]:
    return next(csv.reader([line], delimiter=separator), [])


def _json_rows(lines: TextIO) -> Rows:
    for number, row in objects(lines):
        if isinstance(row, Rejected):
            yield row
            continue
        values = {str(name).casefold(): value for name, value in row.items()}
        fields = {field: values[name] for field, names in NAMES.items() for name in reversed(names) if name in values}
        if any(isinstance(value, (list, dict)) for value in fields.values()):
            yield Rejected(number, "Id, title, text and address are texts, not lists or objects.")
        else:
            yield _item(number, {field: "" if value is None else str(value) for field, value in fields.items()})


def _item(line: int, fields: dict[str, str]) -> ItemRow:
    title, body = fields.get("title", "").strip(), fields.get("text", "")
    address = fields.get("address", "").strip()
    if not NOT_UTF_8.search(address):
        address = quote(address, safe="/#%[]=:;$&()+,!?*@'~")
    return ItemRow(line, fields.get("id", "").strip(), title, body if body.strip() else "", address)


def _fault(row: ItemRow) -> str:
    """Why an item cannot be taken; empty where it can."""
    reasons = {
        "It is not UTF-8.": NOT_UTF_8.search(row.key + row.title + row.body + row.address),
        "It contains a NUL character, which cannot be stored.": "\x00" in row.title + row.body,
        "It has no id.": not row.key,
        f"Its id is longer than {MOST_KEY} characters.": len(row.key) > MOST_KEY,
        "Its id has characters that cannot be printed.": not row.key.isprintable(),
        "It has neither title nor text.": not (row.title or row.body),
        f"Its title is longer than {MOST_TITLE:,} characters.": len(row.title) > MOST_TITLE,
        f"Its text is longer than {MOST_TEXT:,} characters.": len(row.body) > MOST_TEXT,
        f"Its address is longer than {MOST_ADDRESS:,} characters.": len(row.address) > MOST_ADDRESS,
        "Its address is not one on the web: it begins with https:// or http://.": (
            row.address and not ADDRESS.fullmatch(row.address)
        ),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")
