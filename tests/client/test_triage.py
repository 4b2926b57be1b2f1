"""`faultbook triage`: judged here or by a server, from a file, a host's JSON or a name; what is sent, and refusals."""

import io
import json
import shlex
import shutil
from pathlib import Path

import jsonschema_rs
import pytest
from faultbook.__main__ import main

from config.embedded.layout import ROOT
from tests.client.serving import Answer, serving
from tests.client.test_server import TOKEN, answers, example
from tests.docs.markdown import Page

Capture = pytest.CaptureFixture[str]
SIMILAR, ISSUES = "/api/v1/search/similar/", "/api/v1/issues/"
TITLE = "Mixtral fails under ZeRO-3 with in-flight parameters: expert order varies"
BODY = "With deepspeed==0.12.6 on 8 GPUs.\n\nRuntimeError: still have inflight params"
CALLS = [
    line
    for block in Page(ROOT / "docs" / "maintainers.md").blocks("sh")
    for line in block.splitlines()
    if "faultbook triage" in line
]
RECORD = "https://github.com/deepspeedai/DeepSpeed/issues/4808"


@pytest.fixture
def report(tmp_path: Path) -> str:
    file = tmp_path / "report.md"
    file.write_text(f"# {TITLE}\n\n{BODY}\ntoken={TOKEN}, user at gpu-a17.corp.example\n")
    return str(file)


@pytest.mark.django_db
@pytest.mark.usefixtures("machine")
class TestHere:
    def test_a_likely_duplicate_is_0_and_comes_as_a_comment(self, report: str, capsys: Capture) -> None:
        assert main(["triage", report, "--framework", "DeepSpeed"]) == 0
        text = capsys.readouterr().out
        assert text.startswith(f"**Likely duplicates**\n\n- [DeepSpeed\\#4808]({RECORD})")
        for part in ("you run 0.12.6", "- crash: the report says", "**Please add**", "were compared.</sub>"):
            assert part in text

    def test_the_json_is_of_the_published_shape(self, report: str, capsys: Capture) -> None:
        assert main(["schema", "triage"]) == 0
        shape = jsonschema_rs.Draft202012Validator(json.loads(capsys.readouterr().out))
        assert main(["triage", report, "--json"]) in (0, 1)
        found = json.loads(capsys.readouterr().out)
        assert [error.message for error in shape.iter_errors(found)] == []
        assert {"hang", "crash"} & {label["name"] for label in found["labels"]}
        assert found["questions"][0]["get"]

    @pytest.mark.parametrize("address", ["url", "html_url"])
    def test_a_hosts_json_tells_the_framework_by_its_repository_and_is_no_match_of_itself(
        self, address: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
    ) -> None:
        own = {"title": TITLE, "body": BODY, address: RECORD}
        monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps({"action": "opened", "issue": own})))
        assert main(["triage", "-", "--json"]) == 1
        similar = json.loads(capsys.readouterr().out)["similar"]
        assert similar["frameworks"] == ["deepspeed"]
        assert RECORD not in [match["url"] for match in similar["matches"]]

    def test_nothing_like_it_is_1(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO("The picture in the documentation is broken"))
        assert main(["triage", "-"]) == 1

    def test_a_framework_that_is_none_is_2(self, report: str, capsys: Capture) -> None:
        assert main(["triage", report, "--framework", "depspeed"]) == 2
        assert "Nearest: deepspeed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("named", "text", "says"),
    [
        ("-", " \n", "neither a title nor a text"),
        ("-", '{"title": 7, "framework": {}}', "neither a title nor a text"),
        ("-", f"It hangs\n{'x' * 70_000}", "attach long logs"),
        ("gone.md", "", "gone.md is no file that can be read"),
        ("vllm-project/vllm#123", "", "gh issue view NUMBER"),
    ],
)
def test_a_refusal_says_what_to_do(
    named: str, text: str, says: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert main(["triage", named]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.django_db
@pytest.mark.parametrize("call", CALLS)
def test_each_call_on_its_page_is_answered(
    call: str, report: str, machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """What a host answers to `gh` comes on standard input."""
    shutil.copy(report, machine / "report.md")
    own = {"title": TITLE, "body": BODY, "url": "https://github.com/vllm-project/vllm/issues/123"}
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(own)))
    issue = example("issue") | {"body": BODY}
    by = answers(SIMILAR, example("similar-report")) | answers(ISSUES, {"results": [issue]})
    with serving(by | answers(f"{ISSUES}{issue['id']}/", issue)) as server:
        command = call.rpartition("| ")[2].partition(" >")[0].replace("https://faultbook.example.org", server.url)
        assert main(shlex.split(command)[1:]) in (0, 1)
    assert capsys.readouterr().out


class TestServer:
    def test_secrets_and_names_stay_here_and_its_answer_is_the_comment(self, report: str, capsys: Capture) -> None:
        with serving(answers(SIMILAR, example("similar-report"))) as server:
            assert main(["triage", report, "--server", server.url]) == 0
        sent = json.loads(server.sent[SIMILAR])
        assert sent["title"] == TITLE
        assert "still have inflight params" in sent["body"]
        assert [text for text in (TOKEN, "gpu-a17") if text in json.dumps(sent)] == []
        printed = capsys.readouterr()
        assert "DeepSpeed\\#4808" in printed.out
        assert printed.err.startswith("Hidden before sending: ")

    def test_a_name_is_the_report_that_the_server_mirrors(self, capsys: Capture) -> None:
        issue = example("issue") | {"host_title": TITLE, "body": BODY}
        by = answers(SIMILAR, example("similar-report")) | answers(ISSUES, {"results": [issue]})
        with serving(by | answers(f"{ISSUES}{issue['id']}/", issue)) as server:
            assert main(["triage", "deepspeedai/DeepSpeed#4808", "--server", server.url]) == 0
        sent = json.loads(server.sent[SIMILAR])
        assert (sent["title"], sent["body"], sent["framework"]) == (TITLE, BODY, "deepspeed")
        assert sent["url"] == RECORD
        assert "crash: the report says" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("rows", "says"),
        [([], "no such issue"), ([{"id": 1}, {"id": 2}], "several such issues"), ([{"id": 1}], "does not mirror")],
    )
    def test_a_name_that_names_no_text_says_what_to_do(self, rows: list[object], says: str, capsys: Capture) -> None:
        by: dict[str, Answer] = answers(ISSUES, {"results": rows}) | answers(f"{ISSUES}1/", {"body": None})
        with serving(by) as server:
            assert main(["triage", "vllm#7", "--server", server.url]) == 2
        assert says in capsys.readouterr().err
