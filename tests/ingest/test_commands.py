"""The commands: their exit codes, what they print, and that one importer runs at a time."""

from pathlib import Path

import pytest
import yaml
from django.core.management import CommandError, call_command
from django.db import connection, connections

from ingest.imports import runs
from kb.models import Issue, Study
from tests.ingest.small import GOOD, HEADER, MAPPING, Write


@pytest.fixture
def mapping(write: Write) -> Path:
    return write(yaml.safe_dump(MAPPING).encode(), "mapping.yaml")


def test_a_sound_import_ends_well_and_says_what_it_did(
    small_study: Study, mapping: Path, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("import_study", mapping, write([HEADER, GOOD, "x"]))
    said = capsys.readouterr().out
    assert "set.csv: 2 rows read, 1 taken, 1 left out" in said
    assert "written: 1 new issues, 1 new rows, 2 new labels, 3 new votes" in said
    assert "line 3: too few columns: 1 where the header has 6" in said


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ([HEADER], "Not everything was imported"),
        ([HEADER, "x"], "Not everything was imported"),
        (["url,final", "x"], "Not everything was imported"),
    ],
)
def test_an_import_of_nothing_ends_badly(
    content: list[str], reason: str, small_study: Study, mapping: Path, write: Write
) -> None:
    with pytest.raises(CommandError, match=reason) as caught:
        call_command("import_study", mapping, write(content))
    assert caught.value.returncode == 1


def test_a_wrong_call_ends_badly_before_anything_is_read(small_study: Study, mapping: Path, write: Write) -> None:
    file = write([HEADER, GOOD])
    for arguments, reason in (
        (["nothing", file], "no mapping 'nothing'"),
        ([mapping, file, "--report", "report.txt"], r"must end in .csv or .json"),
        ([mapping, file, "--report", file / "report.csv"], "Not a directory"),
    ):
        with pytest.raises(CommandError, match=reason):
            call_command("import_study", *arguments)
    assert not Issue.objects.exists()


def test_a_report_never_overwrites_a_file_to_be_imported(small_study: Study, mapping: Path, write: Write) -> None:
    file = write([HEADER, GOOD])
    before = file.read_bytes()
    for command, arguments in (("import_study", [mapping, file]), ("import_issues", [file])):
        with pytest.raises(CommandError, match=r"would overwrite the file 'set.csv'"):
            call_command(command, *arguments, "--report", file.parent / "." / file.name)
    assert file.read_bytes() == before


def test_a_dry_run_says_so(small_study: Study, mapping: Path, write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("import_study", mapping, write([HEADER, GOOD]), "--dry-run")
    assert "Dry run: nothing was saved." in capsys.readouterr().out
    assert not Issue.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_second_importer_of_the_same_study_is_sent_away(
    small_study: Study, mapping: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "WAIT_SECONDS", 0.0)
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(hashtextextended('study small-labels', 0))")
        report = mapping.with_name("report.csv")
        report.write_text("of the other one")
        with pytest.raises(CommandError, match="another import of 'study small-labels' is running"):
            call_command("import_study", mapping, write([HEADER, GOOD]), "--report", report)
        assert report.read_text() == "of the other one"
    finally:
        other.close()
    call_command("import_study", mapping, write([HEADER, GOOD]))
    assert Issue.objects.count() == 1
    assert set(connections) == {"default"}
