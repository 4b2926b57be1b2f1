"""`--server`: what is sent to a server, what is hidden before, and what becomes of its answers and refusals."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from faultbook.__main__ import main

from config.embedded.layout import ROOT
from tests.client.serving import Answer, Served, serving
from tests.kb.check.faults import FREEZE
from tests.kb.diagnose.runs import FAILED

EXAMPLES = ROOT / "kb" / "api" / "examples"
DIAGNOSE, CHECK = "/api/v1/diagnose", "/api/v1/check"
TOKEN = "hf_QmJ4xT9sLkWvYbRzN2pCeDgH7uFaX1oS5i"
PRIVATE = f"{FAILED}login token={TOKEN} from 10.7.0.13\nnode gpu-a17.corp.example died\n"


def example(name: str) -> Any:
    return json.loads((EXAMPLES / f"{name}.json").read_text())


def answers(path: str, body: Any, status: int = 200) -> dict[str, Answer]:
    return {path: Answer(json.dumps(body).encode(), status)}


@pytest.fixture
def log(tmp_path: Path) -> Path:
    file = tmp_path / "job.log"
    file.write_text(PRIVATE)
    return file


def diagnosed(log: Path, by: dict[str, Answer], *options: str) -> tuple[int, Served]:
    with serving(by) as server:
        return main(["diagnose", str(log), "--server", server.url, *options]), server


class TestDiagnose:
    def test_the_answer_is_printed_as_one_from_here(self, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
        found = example("diagnosis")
        assert diagnosed(log, answers(DIAGNOSE, found), "--json")[0] == 1
        assert json.loads(capsys.readouterr().out) == found
        assert diagnosed(log, answers(DIAGNOSE, found))[0] == 1
        assert capsys.readouterr().out.startswith("The run failed")

    def test_secrets_and_names_stay_here_and_names_are_put_back(
        self, log: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        found = example("diagnosis") | {"sentence": "host-1 died first."}
        _, server = diagnosed(log, answers(DIAGNOSE, found), "--json")
        sent = server.sent[DIAGNOSE].decode()
        assert "CUDA out of memory" in sent
        assert [text for text in (TOKEN, "10.7.0.13", "gpu-a17", str(log.parent)) if text in sent] == []
        printed = capsys.readouterr()
        assert json.loads(printed.out)["sentence"] == "gpu-a17.corp.example died first."
        assert printed.err.startswith("Hidden before sending: ")

    @pytest.mark.django_db
    def test_what_is_sent_is_what_the_api_takes(self, log: Path, client: Client) -> None:
        _, server = diagnosed(log, answers(DIAGNOSE, example("diagnosis")), "--healthy", str(log))
        body = server.sent[DIAGNOSE]
        boundary = body.partition(b"\r\n")[0].removeprefix(b"--").decode()
        response = client.generic("POST", DIAGNOSE, body, f"multipart/form-data; boundary={boundary}")
        assert response.status_code == 200, response.content
        assert response.json()["stats"]["files"] == 1

    def test_a_job_is_waited_for(self, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
        job = {"id": "5b0c", "state": "done", "result": example("diagnosis"), "error": None}
        by = answers(DIAGNOSE, job, 202) | answers(f"{DIAGNOSE}/jobs/5b0c", job)
        assert diagnosed(log, by)[0] == 1
        refused = job | {"state": "refused", "result": None, "error": "It is no log."}
        by |= answers(f"{DIAGNOSE}/jobs/5b0c", refused)
        assert diagnosed(log, by)[0] == 3
        assert "The server refuses the log: It is no log." in capsys.readouterr().err

    @pytest.mark.usefixtures("log")
    def test_dumps_are_not_sent(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "nccl_trace_rank_0").write_bytes(b"\x80\x02gpu-a17")
        _, server = diagnosed(tmp_path, answers(DIAGNOSE, example("diagnosis")))
        assert b"\x80\x02" not in server.sent[DIAGNOSE]
        assert "nccl_trace_rank_0 was not sent" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("by", "part"),
    [
        (answers(DIAGNOSE, {"detail": "Too many logs came from your network today."}, 429), "Too many logs came"),
        ({DIAGNOSE: Answer(b"<html>", 200)}, "Is it the address of a Faultbook server?"),
        ({}, "404 Not Found"),
        ({DIAGNOSE: Answer(b"", 307, headers={"Location": "http://127.0.0.1:9/"})}, "Name that address"),
    ],
    ids=["refused", "no JSON", "no such page", "moved"],
)
def test_a_refusal_says_what_to_do(
    log: Path, by: dict[str, Answer], part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert diagnosed(log, by)[0] == 3
    assert part in capsys.readouterr().err


class TestCheck:
    def test_the_servers_findings_are_printed(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "pip-freeze.txt").write_text(FREEZE)
        found = example("check")
        with serving(answers(CHECK, found)) as server:
            code = main(["check", str(tmp_path), "--server", server.url, "--json"])
        assert code == any(finding["verdict"] == "affects" for finding in found["findings"])
        assert json.loads(server.sent[CHECK]) == {"texts": [{"name": "pip-freeze.txt", "text": FREEZE}]}
        assert json.loads(capsys.readouterr().out) == found

    def test_a_refusal_is_bad_input(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "pip-freeze.txt").write_text(FREEZE)
        with serving({}) as server:
            assert main(["check", str(tmp_path), "--server", server.url]) == 2
        assert "404 Not Found" in capsys.readouterr().err
