"""Set-based writing of a data set's rows, answers and votes; issues and labels are written by `kb.services.bulk`.

Works on what `kb.services.bulk` staged (`staged_issue`, `staged_label`) and on two tables of its own,
`staged_answer` (entry, annotator, node_id; annotator 0 is the final answer) and `staged_doubt` (entry).
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import connection

from ingest.models import AnnotatorVote, ImportedAnswer, ImportedFile, ImportedRow
from kb.services.bulk import copy_rows, hold_tables

FINAL = 0

STAGE = """
DROP TABLE IF EXISTS pg_temp.staged_answer, pg_temp.staged_doubt, pg_temp.staged_row, pg_temp.staged_gone;
CREATE TEMPORARY TABLE staged_answer (entry bigint, annotator smallint, node_id bigint) ON COMMIT DROP;
CREATE TEMPORARY TABLE staged_doubt (entry bigint) ON COMMIT DROP;
"""
NUMBER_ROWS = """
CREATE TEMPORARY TABLE staged_row ON COMMIT DROP AS
SELECT s.entry, s.line, s.issue_id, NULL::bigint AS id, numbered.occurrence,
    (numbered.occurrence = 1 OR %(merge)s) AND NOT EXISTS (SELECT 1 FROM staged_doubt d WHERE d.entry = s.entry)
        AS gives_labels
FROM staged_issue s JOIN (
    SELECT entry, row_number() OVER (PARTITION BY issue_id ORDER BY entry) AS occurrence FROM staged_issue
) numbered USING (entry);
ANALYZE staged_row;
ANALYZE staged_answer;
"""
DROP_ROWS_OF_OTHER_FILES = """
DELETE FROM staged_row r USING ingest_importedrow other, ingest_importedfile f
WHERE f.id = other.file_id AND f.source_id = %(source)s AND f.id <> %(file)s
    AND other.issue_id = r.issue_id AND other.occurrence = 1
RETURNING r.line, f.name, other.line
"""
REPEATED = """
SELECT r.line, earlier.line, r.gives_labels FROM staged_row r
JOIN staged_row earlier ON earlier.issue_id = r.issue_id AND earlier.occurrence = 1
WHERE r.occurrence > 1 ORDER BY r.line
"""

# The file is as it is now: rows it no longer has go, with their answers and votes.
FIND_GONE = """
CREATE TEMPORARY TABLE staged_gone ON COMMIT DROP AS
SELECT o.id, o.issue_id FROM ingest_importedrow o WHERE o.file_id = %(file)s AND NOT EXISTS (
    SELECT 1 FROM staged_row r WHERE r.issue_id = o.issue_id AND r.occurrence = o.occurrence)
"""
DROP_VOTES_OF_GONE = "DELETE FROM ingest_annotatorvote v USING staged_gone g WHERE v.row_id = g.id"
DROP_ANSWERS_OF_GONE = "DELETE FROM ingest_importedanswer a USING staged_gone g WHERE a.row_id = g.id"
DROP_ROWS = "DELETE FROM ingest_importedrow o USING staged_gone g WHERE o.id = g.id"
UPDATE_ROWS = """
UPDATE ingest_importedrow o SET line = r.line, gives_labels = r.gives_labels FROM staged_row r
WHERE o.file_id = %(file)s AND o.issue_id = r.issue_id AND o.occurrence = r.occurrence
    AND (o.line, o.gives_labels) IS DISTINCT FROM (r.line, r.gives_labels)
"""
ADD_ROWS = """
INSERT INTO ingest_importedrow (file_id, issue_id, occurrence, line, gives_labels)
SELECT %(file)s, r.issue_id, r.occurrence, r.line, r.gives_labels FROM staged_row r
WHERE NOT EXISTS (SELECT 1 FROM ingest_importedrow o
    WHERE o.file_id = %(file)s AND o.issue_id = r.issue_id AND o.occurrence = r.occurrence)
ORDER BY r.entry
"""
FIND_ROWS = """
UPDATE staged_row r SET id = o.id FROM ingest_importedrow o
WHERE o.file_id = %(file)s AND o.issue_id = r.issue_id AND o.occurrence = r.occurrence
"""
DROP_ANSWERS = """
DELETE FROM ingest_importedanswer a USING staged_row r WHERE a.row_id = r.id AND NOT EXISTS (
    SELECT 1 FROM staged_answer s WHERE s.entry = r.entry AND s.annotator = 0 AND s.node_id = a.node_id)
"""
ADD_ANSWERS = """
INSERT INTO ingest_importedanswer (row_id, node_id)
SELECT r.id, s.node_id FROM staged_answer s JOIN staged_row r USING (entry)
WHERE s.annotator = 0 AND NOT EXISTS (
    SELECT 1 FROM ingest_importedanswer a WHERE a.row_id = r.id AND a.node_id = s.node_id)
ORDER BY r.entry, s.node_id
"""
DROP_VOTES = """
DELETE FROM ingest_annotatorvote v USING staged_row r WHERE v.row_id = r.id AND NOT EXISTS (
    SELECT 1 FROM staged_answer s
    WHERE s.entry = r.entry AND s.annotator = v.annotator AND s.node_id = v.node_id)
"""
ADD_VOTES = """
INSERT INTO ingest_annotatorvote (row_id, annotator, node_id)
SELECT r.id, s.annotator, s.node_id FROM staged_answer s JOIN staged_row r USING (entry)
WHERE s.annotator > 0 AND NOT EXISTS (SELECT 1 FROM ingest_annotatorvote v
    WHERE v.row_id = r.id AND v.annotator = s.annotator AND v.node_id = s.node_id)
ORDER BY r.entry, s.annotator, s.node_id
"""
# Labels follow from the rows: an issue carries what its rows in this source answer, and nothing else.
STAGE_LABELS = """
INSERT INTO staged_label (issue_id, node_id)
SELECT issue_id, NULL::bigint FROM staged_row UNION SELECT issue_id, NULL FROM staged_gone;
INSERT INTO staged_label (issue_id, node_id)
SELECT o.issue_id, a.node_id FROM ingest_importedrow o
JOIN ingest_importedfile f ON f.id = o.file_id AND f.source_id = %(source)s
JOIN ingest_importedanswer a ON a.row_id = o.id
WHERE o.gives_labels AND o.issue_id IN (SELECT issue_id FROM staged_label);
"""


@dataclass(frozen=True)
class Repeat:
    """A row about an issue that an earlier row was about; `file` is empty when that row is in the same file."""

    line: int
    earlier_line: int
    file: str = ""
    gives_labels: bool = False


@dataclass(frozen=True)
class RowCounts:
    """How many rows and votes were added and removed, and how many rows the file has now."""

    rows: int
    added: int
    removed: int
    votes_added: int
    votes_removed: int


def open_answer_stage() -> None:
    """Create the empty temporary tables of this module; they go when the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute(STAGE)


def stage_answers(*, answers: Iterable[tuple[int, int, int]], doubtful: Iterable[int]) -> None:
    """Copy (entry, annotator, node id) triples, and the entries that must not label, into the stage."""
    copy_rows(table="staged_answer", columns=("entry", "annotator", "node_id"), rows=answers)
    copy_rows(table="staged_doubt", columns=("entry",), rows=((entry,) for entry in doubtful))


def number_staged_rows(*, file: ImportedFile, merge: bool) -> list[Repeat]:
    """Number the rows about each issue and drop those that another file of the set has already.

    Returns the repetitions. With `merge` later rows of the file label their issue too.
    """
    keys = {"file": file.pk, "source": file.source_id, "merge": merge}
    with connection.cursor() as cursor:
        cursor.execute(NUMBER_ROWS, keys)
        cursor.execute(DROP_ROWS_OF_OTHER_FILES, keys)
        repeats = [Repeat(line, earlier, name) for line, name, earlier in cursor.fetchall()]
        cursor.execute(REPEATED)
        repeats += [Repeat(line, earlier, gives_labels=gives) for line, earlier, gives in cursor.fetchall()]
    return repeats


def write_staged_rows(*, file: ImportedFile) -> RowCounts:
    """Make the file's rows, answers and votes exactly the staged ones; what is the same keeps its id."""
    hold_tables(tables=[ImportedRow, ImportedAnswer, AnnotatorVote])
    with connection.cursor() as cursor:

        def run(statement: str) -> int:
            cursor.execute(statement, {"file": file.pk})
            return int(cursor.rowcount)

        run(FIND_GONE)
        votes_removed = run(DROP_VOTES_OF_GONE)
        run(DROP_ANSWERS_OF_GONE)
        removed = run(DROP_ROWS)
        run(UPDATE_ROWS)
        added = run(ADD_ROWS)
        rows = run(FIND_ROWS)
        run("ANALYZE staged_row")  # its ids were all null before: the planner would expect no row
        run(DROP_ANSWERS)
        run(ADD_ANSWERS)
        votes_removed += run(DROP_VOTES)
        votes_added = run(ADD_VOTES)
    return RowCounts(rows, added, removed, votes_added, votes_removed)


def stage_labels(*, file: ImportedFile) -> None:
    """Stage the labels that the file's issues are to carry in its source."""
    with connection.cursor() as cursor:
        cursor.execute(STAGE_LABELS, {"source": file.source_id})
