"""Who reads what is stored of a mirrored text is listed here: the second net, beside `test_ways_out`."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
# They hide it themselves, or write it.
READING_WHAT_IS_STORED = {
    "ingest/imports/issues/load.py", "ingest/selectors/export.py", "ingest/sync/selection.py", "ingest/sync/rows.py",
    "kb/admin/issues.py", "kb/search/documents.py", "kb/core/search/error_lines.py",
    "kb/services/bulk.py", "kb/web/issue/page.py",
    "kb/web/issue/threads.py", "labeling/services/snapshots.py", "kb/core/search/similar_reports.py",
    # It looks whether there is any.
    "labeling/services/codebook_changes.py",
    # They compare, and show words of ours.
    "kb/starter/lines.py",
    "ingest/services/suggestions.py", "ingest/sync/sweep.py", "ingest/web/status.py",
}  # fmt: skip


def test_no_template_shows_what_is_stored() -> None:
    stored = r"\b(?:issue|comment|left_out|one)\.(?:title|body)\b"
    shown = re.compile(rf"\{{\{{[^}}]*{stored}|\{{% firstof[^}}]*{stored}")
    templates = list((ROOT / "templates").rglob("*.html"))
    assert templates
    assert [str(path) for path in templates if shown.search(path.read_text(encoding="utf-8"))] == []


def test_few_modules_read_what_is_stored() -> None:
    read = re.compile(r"\b(?:issue|i|comment|left_out)\.(?:title|body)\b")
    modules = [path for room in ("kb", "labeling", "ingest", "config") for path in (ROOT / room).rglob("*.py")]
    found = {str(path.relative_to(ROOT)) for path in modules if read.search(path.read_text(encoding="utf-8"))}
    assert found == READING_WHAT_IS_STORED
