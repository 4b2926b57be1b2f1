"""The programs of the page about dumps run as they stand, beside a dump of the starter records."""

import datetime as dt
from pathlib import Path

import pytest

from config.embedded.layout import ROOT
from kb.exports.dumps.publishing import publish
from tests.docs.markdown import Page

PROGRAMS = list(Page(ROOT / "docs" / "dumps.md").blocks("python"))


@pytest.mark.usefixtures("starter")
def test_each_program_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    publish(tmp_path, today=dt.date(2026, 11, 27), keep=1).folder.rename(tmp_path / "dump")
    monkeypatch.chdir(tmp_path)
    assert len(PROGRAMS) == 2
    for program in PROGRAMS:
        exec(program, {})  # noqa: S102 - our own docs
        assert capsys.readouterr().out.strip(), program
