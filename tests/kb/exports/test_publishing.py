"""Dumps of a few issues: what is never in them, and how versions take turns. Of the records: `test_dumps.py`."""

import datetime as dt
import json
import sys
from pathlib import Path

import pytest

from kb.exports.dumps.publishing import publish
from kb.exports.dumps.versions import file_in, versions_in
from tests.support.factories import make_issue

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("codebook")]
TODAY = dt.date(2026, 11, 27)
PLANTED = "A sentence that only its author may hand out"


def test_nothing_that_others_wrote_is_in_any_file(tmp_path: Path) -> None:
    make_issue(
        7, title=f"{PLANTED}: title", body=f"{PLANTED}: body", author="somebody", opened_at="2026-01-02T03:04:05Z"
    )
    folder = publish(tmp_path, today=TODAY, keep=7).folder
    with zstd.open(folder / "jsonl" / "issues.jsonl.zst", "rt", encoding="utf-8") as file:
        assert [json.loads(line)["url"].endswith("DeepSpeed/issues/7") for line in file] == [True]
    for path in folder.rglob("*"):
        content = b"" if path.is_dir() else path.read_bytes()
        for text in (content, zstd.decompress(content) if path.suffix == ".zst" else b""):
            assert PLANTED.encode() not in text, path


def test_new_knowledge_makes_a_version_and_the_oldest_goes(tmp_path: Path) -> None:
    for days in range(3):
        make_issue(title=f"{days}")
        publish(tmp_path, today=TODAY + dt.timedelta(days=days), keep=2)
    names = [version.name for version in versions_in(tmp_path)]
    assert [name[:10] for name in names] == ["2026-11-29", "2026-11-28"]
    assert (tmp_path / "latest").resolve().name == names[0]
    assert file_in(tmp_path, "latest", "SHA256SUMS") is not None
    for name in ("../SHA256SUMS", ".building", "jsonl", "jsonl/../README.md"):
        assert file_in(tmp_path, "latest", name) is None, name
