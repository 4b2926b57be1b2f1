"""The calls of `manage.py diagnose` that pages show are made, each in a folder with the files that it names."""

import io
import json
import shlex
import tarfile
from glob import glob
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.docs.markdown import GUIDES
from tests.docs.test_names import named_commands
from tests.kb.diagnose.runs import FAILED, steps

CALLS = sorted({rest.strip() for page in GUIDES for name, rest in named_commands(page) if name == "diagnose"} - {""})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the calls are made: logs of a failed run, and of a healthy one."""
    monkeypatch.chdir(tmp_path)
    for name in ("job.log", "rank0.log", "logs/rank1.log"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(FAILED)
    with tarfile.open(tmp_path / "more.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "job.log", "job.log")
    (tmp_path / "last-weeks-logs").mkdir()
    (tmp_path / "last-weeks-logs/rank0.log").write_text(steps(2_000))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(FAILED.encode())))
    return tmp_path


@pytest.mark.django_db
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("call", CALLS)
def test_each_finds_the_failure(call: str) -> None:
    out = io.StringIO()
    words = [found for word in shlex.split(call) for found in (glob(word) if "*" in word else [word])]  # noqa: PTH207
    with pytest.raises(SystemExit) as ended:
        call_command("diagnose", *words, stdout=out)
    assert ended.value.code == 1
    said = json.loads(out.getvalue())["sentence"] if "--json" in words else out.getvalue()
    assert "CUDA out of memory" in out.getvalue(), said
