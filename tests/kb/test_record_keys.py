"""The keys of a record that tell what to do, how else it is seen, and how sure it is: what they take and refuse."""

from pathlib import Path

import pytest

from kb.core.frameworks import listed_slugs
from kb.models import Issue, OtherReport
from kb.starter.export import export_starter
from kb.starter.format import NOT_STATED, Record, read_record
from kb.starter.load import load_starter, read_files

SHORT = """\
url: https://github.com/vllm-project/vllm/issues/1
title: Generation stops at once when the template is missing
summary: The server answers with an empty text, because the tokenizer came without a chat template.
fix_line: Start the server with `--chat-template FILE`.
no_line: Nothing is printed; only the answer is empty.
labels:
  root_cause:
    - {node: missing-check, why: "Nothing checks that there is a template."}
  component:
    - {node: api-server, why: "The server applies the template."}
read: {date: 2026-01-01, extent: description}
"""
FIX, NO_LINE = "fix_line: Start the server with `--chat-template FILE`.\n", SHORT.splitlines(keepends=True)[4]

MORE = """\
snippet: |
  vllm serve MODEL \\
    --chat-template template.jinja
also_seen: [empty answer, "-9", 回答为空]
same_as: [https://github.com/vllm-project/vllm/issues/2, https://gitee.com/ascend/vllm/issues/I71V26]
neighbours: [{url: "https://github.com/vllm-project/vllm/issues/3", tell: "There the log names a stop token."}]
certainty: confirmed
inferred: [cause]
severity: wrong-result
circumstances: {found_by: user, told_by: not-log}
models: [Llama-3.1-70B]
layout: TP 8, PP 2
checked: {date: 2026-01-02, extent: all of the thread}
"""


def checked(root: Path, text: str) -> tuple[Record | None, list[str]]:
    """The record of a file with this text, and what is wrong with it: `LINE: SENTENCE`."""
    path = root / "vllm-project__vllm/1.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    (file,) = read_files(root, frameworks=listed_slugs())
    return file.record, [f"{rejection.line}: {rejection.reason}" for rejection in file.rejections]


def test_a_short_record_is_whole_and_the_host_s_facts_follow(tmp_path: Path) -> None:
    record, faults = checked(tmp_path, SHORT)
    assert faults == []
    assert record
    assert (record.framework, record.state, record.resolution) == ("vllm", "unknown", NOT_STATED)


def test_every_key_is_taken(tmp_path: Path) -> None:
    record, faults = checked(tmp_path, SHORT + MORE)
    assert faults == []
    assert record
    assert record.snippet == "vllm serve MODEL \\\n  --chat-template template.jinja"
    assert record.neighbours[0].tell == "There the log names a stop token."


@pytest.mark.parametrize(
    "line",
    [
        "Start with `--enforce-eager`",
        "Upgrade to 0.6.3 or later.",
        "Set `NCCL_P2P_DISABLE=1` (e.g. in the unit file) until the driver is 550.54.",
        "安装 `flash-attn==2.5.8`。",
        "Call `model.eval()`. ",
    ],
)
def test_a_fix_line_is_one_sentence_with_something_to_type(tmp_path: Path, line: str) -> None:
    assert checked(tmp_path, SHORT.replace(FIX, f"fix_line: '{line}'\n"))[1] == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (FIX, "fix_line: Check your configuration.\n", "4: fix_line: name a command, option or setting in backticks"),
        (FIX, "fix_line: Upgrade to 0.6.3. Then restart it.\n", "4: fix_line: write one sentence: what to do now"),
        (FIX, "fix_line: 升级到 0.6.3。然后重启。\n", "4: fix_line: write one sentence"),
        (FIX, "fix_line: Start with `--eager.\n", "4: fix_line: a backtick is not closed"),
        (FIX, f"fix_line: Set `A=1` {'x' * 200}\n", "4: fix_line has 210 characters: write at most 200"),
        (NO_LINE, "", "4: recognise is empty: add the line that the tool prints, or no_line with the reason"),
        (NO_LINE, NO_LINE + "recognise: [no chat template is set]\n", "5: no_line says why recognise is empty, and"),
        (NO_LINE, NO_LINE + "snippet: |\n" + "  x\n" * 13, "6: snippet: has 13 lines: keep at most 12"),
        (NO_LINE, NO_LINE + "also_seen: [x]\n", "6: entry 1 of also_seen has 1 characters: write at least 2"),
        (NO_LINE, NO_LINE + f"also_seen: [{', '.join(['ab'] * 11)}]\n", "6: also_seen has 11 entries: keep at most 10"),
        (NO_LINE, NO_LINE + "also_seen: [-9]\n", "6: entry 1 of also_seen is a number to YAML: put it in quotes"),
        (NO_LINE, NO_LINE + "same_as: [https://a.example/1]\n", "6: entry 1 of same_as: write https://github.com/OWN"),
        (
            NO_LINE,
            NO_LINE + "same_as: [https://github.com/vLLM-project/vllm/issues/1]\n",
            "6: same_as: https://github.com/vLLM-project/vllm/issues/1 is this record itself: remove it",
        ),
        (
            NO_LINE,
            NO_LINE
            + "same_as: [https://github.com/a/b/issues/1]\n"
            + "neighbours: [{url: 'https://github.com/a/b/issues/1', tell: The other one hangs.}]\n",
            "7: neighbours: https://github.com/a/b/issues/1 stands under same_as already: remove it",
        ),
        (NO_LINE, NO_LINE + "certainty: sure\n", "6: certainty is not one of: confirmed, likely, unsettled; it is 'su"),
        (NO_LINE, NO_LINE + "inferred: [labels]\n", "6: entry 1 of inferred is not one of: cause, resolution, worka"),
        (NO_LINE, NO_LINE + "severity: bad\n", "6: severity is not one of: blocks, wrong-result, data-loss, degrades"),
        ("vllm-project/vllm", "nobody/nothing", "1: framework is missing"),
    ],
)
def test_each_mistake_is_told_with_its_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    faults = checked(tmp_path, SHORT.replace(old, new))[1]
    assert [fault for fault in faults if fault.startswith(said)], faults


@pytest.mark.usefixtures("codebook")
class TestLoading:
    def test_every_key_is_stored_and_written_back(self, tmp_path: Path) -> None:
        before, _ = checked(tmp_path, SHORT + MORE)
        report = load_starter(tmp_path, tmp_path / "no-passes")
        assert report.rejections == ()
        issue = Issue.objects.get(url=before.url if before else "")
        assert issue.certainty == "confirmed"
        assert [fact.word for fact in issue.known_facts] == ["user", "not-log"]
        assert [str(other) for other in issue.other_reports.all()] == ["vllm-project/vllm#2", "ascend/vllm#I71V26"]
        assert "回答为空" in issue.label_terms
        export_starter(tmp_path / "again")
        assert before
        assert read_record(tmp_path / "again/vllm-project__vllm/1.yaml") == before.model_copy(
            update={"id": issue.public_id}
        )
        again = load_starter(tmp_path, tmp_path / "no-passes")
        assert (again.changes.created, again.changes.changed, again.changes.removed) == (0, 0, 0)

    def test_what_a_record_drops_is_gone(self, tmp_path: Path) -> None:
        checked(tmp_path, SHORT + MORE)
        load_starter(tmp_path, tmp_path / "no-passes")
        checked(tmp_path, SHORT)
        load_starter(tmp_path, tmp_path / "no-passes")
        issue = Issue.objects.get()
        assert (issue.snippet, issue.also_seen, issue.neighbours, issue.checked_on) == ("", [], [], None)
        assert not issue.other_reports.exists()
        assert "回答为空" not in issue.label_terms

    def test_a_report_under_the_old_name_of_its_repository_is_found_under_the_new_one(self, tmp_path: Path) -> None:
        old = "same_as: [https://github.com/microsoft/DeepSpeed/issues/5]\n"
        checked(tmp_path, SHORT + old)
        load_starter(tmp_path, tmp_path / "no-passes")
        assert [other.url for other in OtherReport.objects.all()] == [
            "https://github.com/deepspeedai/DeepSpeed/issues/5"
        ]
