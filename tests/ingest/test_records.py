"""Reading files record by record: damage costs a row, not the file, and is told with its physical line."""

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.imports.records import Record, json_records, open_records
from ingest.imports.records.csv_records import CsvFile
from ingest.imports.records.json_records import JsonArrayFile, JsonLinesFile, parse_object
from ingest.rejections import FileUnreadableError, Rejection, shown
from tests.ingest.small import Write


def told(records: Any) -> list[tuple[int, Any]]:
    """Line and cells of each record, line and reason of each rejection."""
    return [(r.line, r.reason.value) if isinstance(r, Rejection) else (r.line, dict(r.cells)) for r in records]


def csv_of(content: bytes) -> list[tuple[int, Any]]:
    return told(CsvFile(io.BytesIO(content)))


ROW = {"a": "1", "b": "2"}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(b"a,b\n1,2\n", [(2, ROW)], id="a plain row"),
        pytest.param(b" a , b\r\n1,2\r\n", [(2, ROW)], id="Windows line ends, blanks in the header"),
        pytest.param(b"a,b\n1,2", [(2, ROW)], id="no line end at the end"),
        pytest.param(b'a,b\n"1\nx",2\n1,2\n', [(2, {"a": "1\nx", "b": "2"}), (4, ROW)], id="a line break in quotes"),
        pytest.param(b"a,b\n1,2,,\n", [(2, ROW)], id="empty cells too many"),
        pytest.param(b"a,b\n1\n1,2\n", [(2, "columns"), (3, ROW)], id="too few columns"),
        pytest.param(b"a,b\n1,2,3\n1,2\n", [(2, "columns"), (3, ROW)], id="too many columns"),
        pytest.param(b"a,b\n\n1,2\n", [(2, "blank"), (3, ROW)], id="a blank line"),
        pytest.param(b"a,b\n\xff,2\n1,2\n", [(2, "encoding"), (3, ROW)], id="not UTF-8"),
        pytest.param(b'a,b\n"1,2\n1,2\n1,2\n', [(2, "quotes"), (3, ROW), (4, ROW)], id="a quote never closed"),
        pytest.param(b'a,b\n1"x,2\n1,2\n', [(2, "quotes"), (3, ROW)], id="a stray quote"),
        pytest.param(b'a,b\n"1"x,2\n1,2\n', [(2, "quotes"), (3, ROW)], id="text after a closing quote"),
        pytest.param(b'a,b\n"1,2\n1,2\n"1,2\n1,2\n', [(2, "quotes"), (3, ROW), (4, "quotes"), (5, ROW)], id="two"),
        pytest.param(b'a,b\n"1\n\xff\n1,2\n', [(2, "quotes"), (3, "encoding"), (4, ROW)], id="both"),
        pytest.param(b"a,a\n1,2\n", [(2, {"a": "1", "a (2)": "2"})], id="a name twice"),
    ],
)
def test_a_csv_row_is_read_or_rejected_on_its_own(content: bytes, expected: list[tuple[int, Any]]) -> None:
    assert csv_of(content) == expected


def test_a_row_longer_than_a_mebibyte_is_rejected() -> None:
    assert csv_of(b"a,b\n" + b"x" * 3_000_000 + b"\n1,2\n") == [(2, "too-long"), (3, ROW)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b'{"a": 1}\n', [(1, {"a": 1})]),
        (b'{"a": 1}\n\n{"a"\n[1]\n{"a": 2}', [(1, {"a": 1}), (2, "blank"), (3, "json"), (4, "shape"), (5, {"a": 2})]),
        (b'{"a": "\xff"}\n{"a": 2}', [(1, "encoding"), (2, {"a": 2})]),
        (b"[" * 100_000 + b'\n{"a": 2}', [(1, "json"), (2, {"a": 2})]),
        (b'{"a": ' + b"9" * 5000 + b'}\n{"a": 2}', [(1, "json"), (2, {"a": 2})]),
    ],
)
def test_a_json_line_is_read_or_rejected_on_its_own(content: bytes, expected: list[tuple[int, Any]]) -> None:
    assert told(JsonLinesFile(io.BytesIO(content))) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"[]", []),
        (b'[{"a": 1},\n {"a": "]},{"}]', [(1, {"a": 1}), (2, {"a": "]},{"})]),
        (b'[\n\n{"a": "\\"]"}\n]', [(3, {"a": '"]'})]),
        (b'[{"a": 1}]\n[{"a": 2}]', [(1, {"a": 1}), (2, {"a": 2})]),
        (b'[{"a": 1},,{"a": 2}]', [(1, {"a": 1}), (1, "json"), (1, {"a": 2})]),
        (b'[{"a": 1}, 7, {"a" 1}, "x"]', [(1, {"a": 1}), (1, "shape"), (1, "json"), (1, "shape")]),
        (b'[{"a": "\xff"}, {"a": 2}]', [(1, "encoding"), (1, {"a": 2})]),
        (b"[1}]", [(1, "json")]),
    ],
)
def test_an_element_of_an_array_is_read_or_rejected_on_its_own(content: bytes, expected: list[tuple[int, Any]]) -> None:
    assert told(JsonArrayFile(io.BytesIO(content))) == expected


VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda v: st.lists(v) | st.dictionaries(st.text(), v),
    max_leaves=8,
)
OBJECTS = st.lists(st.dictionaries(st.text(), VALUE, max_size=4), max_size=6)


@settings(max_examples=60)
@given(OBJECTS, st.integers(1, 7), st.sampled_from([None, 1]), st.booleans())
def test_an_array_falls_into_its_elements_wherever_a_chunk_ends(
    objects: list[dict[str, Any]], size: int, indent: int | None, ascii_only: bool
) -> None:
    content = json.dumps(objects, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_records, "CHUNK", size)
        found = list(JsonArrayFile(io.BytesIO(content)))
    expected = [
        parse_object(json.dumps(o, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass"), line=0) for o in objects
    ]
    for got, wanted in zip(found, expected, strict=True):
        assert (got.cells if isinstance(got, Record) else got.reason) == (
            wanted.reason if isinstance(wanted, Rejection) else wanted
        )


@given(st.text() | st.binary())
def test_no_json_line_makes_the_parser_fail(line: str | bytes) -> None:
    assert isinstance(parse_object(line, line=1), dict | Rejection)


@given(st.binary(max_size=200))
def test_no_bytes_make_a_reader_fail_otherwise(content: bytes) -> None:
    for reader in (CsvFile, JsonLinesFile, JsonArrayFile):
        try:
            found = list(reader(io.BytesIO(content)))
        except FileUnreadableError:
            continue
        assert all(item.line >= 1 for item in found)


@given(st.text())
def test_a_shown_value_can_be_stored_and_printed(text: str) -> None:
    value = shown(text)
    assert "\0" not in value
    assert len(value) <= 200
    assert value.encode("utf-8").decode("utf-8") == value


@pytest.mark.parametrize(
    ("content", "name", "reason"),
    [
        (b"", "set.csv", "the file is empty"),
        (b"\n1,2\n", "set.csv", "must name the columns"),
        (b"\xff,b\n", "set.csv", "header line cannot be read: not UTF-8"),
        ("a,b\n1,2\n".encode("utf-16"), "set.csv", "UTF-16"),
        (b"", "set.json", "the file is empty"),
        (b"a,b\n", "set.json", "neither CSV by its name nor JSON by its content"),
        (b'[{"a": 1}, ', "set.json", "ends within the array"),
        (b'[{"a": "1}', "set.json", "ends within the element that begins on line 1"),
        (b"[1] x", "set.json", "neither a JSON array nor JSON lines"),
        (gzip.compress(b'{"a": 1}\n' * 900, mtime=0)[:-20], "set.jsonl.gz", "gzip file is cut off"),
        (gzip.compress(b'{"a": 1}', mtime=0)[:12] + b"\0\xff" * 20, "set.jsonl.gz", "gzip file is damaged"),
    ],
)
def test_a_file_that_is_damaged_as_a_whole_is_refused(content: bytes, name: str, reason: str, write: Write) -> None:
    with pytest.raises(FileUnreadableError, match=reason), open_records(write(content, name)) as (records, _):
        list(records)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileUnreadableError, match="cannot be read: No such file"), open_records(tmp_path / "x.csv"):
        pass


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize(
    ("name", "content"), [("x.csv", b"a\n1\n"), ("x.jsonl", b'{"a": "1"}\n'), ("x.json", b'[{"a": "1"}]')]
)
def test_gzip_and_byte_order_marks_are_seen_through(
    name: str, content: bytes, mark: bytes, pack: Any, write: Write
) -> None:
    with open_records(write(pack(mark + content), name)) as (records, fingerprint):
        assert [dict(r.cells) for r in records if isinstance(r, Record)] == [{"a": "1"}]
    assert len(fingerprint.sha256) == 64
