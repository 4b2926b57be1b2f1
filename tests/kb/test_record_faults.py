"""Mistakes of whoever writes a record: each is told in plain words with its line, all of a file at once."""

import datetime as dt
import re
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from kb.starter.check import check_records
from kb.starter.load import RECORDS
from kb.starter.passes import PASSES, read_passes

TODAY = dt.date(2026, 6, 1)
AFFECTS = 'affects: [{package: deepspeed, reported: ["0.9.0.12"]}]'
SOUND = """\
url: https://github.com/deepspeedai/DeepSpeed/issues/1
framework: deepspeed
title: Training stalls when ranks disagree
summary: Training stalls at the first step when one rank skips a branch that the others take, with no message.
recognise:
  - "hostfile parsing gave no slots"
resolution: not stated
workaround: not stated
state: closed
opened: 2026-01-01
closed: 2026-02-01
affects: [{package: deepspeed, reported: ["0.9.0.12"]}]
labels:
  issue_type:
    - {node: bug, why: "It stops making progress."}
  symptom:
    - {node: hang, why: "It stops making progress."}
  component:
    - {node: collectives, why: "A collective never returns."}
fixes:
  - {url: "https://github.com/deepspeedai/DeepSpeed/pull/2", merged: 2026-01-31, what: Takes the branch on all ranks.}
evidence:
  - {url: "https://github.com/deepspeedai/DeepSpeed/pull/2", supports: versions, by: fix}
read: {date: 2026-05-01, extent: description}
"""


def told(root: Path, *changes: tuple[str, str]) -> list[str]:
    """What the check says of the sound record with these changes: `LINE: SENTENCE`."""
    text = SOUND
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = root / "deepspeedai__deepspeed/1.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return [str(one).removeprefix(f"{path}:") for one in check_records(root, root / "none", today=TODAY).problems]


def test_a_sound_record_has_none(tmp_path: Path) -> None:
    assert told(tmp_path) == []


EVIDENCE = SOUND[SOUND.index("evidence:") : SOUND.index("read:")]
AT_FIRST = "Training stalls at the first step"


class TestRules:
    @pytest.mark.parametrize(
        ("old", "new", "said"),
        [
            (EVIDENCE, "evidence: []\n", "22: evidence is empty beside a fix: add the fix as a line, {url: ..., sup"),
            (EVIDENCE, "", "20: evidence is empty beside a fix"),
            ("resolution: not stated", "resolution: Upgrade.", None),
            (": deepspeed\n", ": nccl\n", "2: framework is 'nccl', but the repository belongs to 'deepspeed': write"),
            (": deepspeed\n", ": DeepSpeed\n", "2: framework is 'DeepSpeed', but the repository belongs to 'deepspee"),
            ("date: 2026-05-01", "date: 2026-06-02", "24: read.date is in the future: 2026-06-02, and today is 2026-"),
            ("merged: 2026-01-31", "merged: 2026-05-02", "21: fixes.merged is after read.date: 2026-05-02, and the t"),
            ('merged: 2026-01-31', 'merged: "2026-05-02"', "21: fixes.merged is after read.date"),
            ("opened: 2026-01-01", "opened: 2026-03-01", "11: closed is before opened: 2026-02-01, and opened is 20"),
            ("state: closed", "state: open", "11: an open issue has no closing date: remove closed, or write state:"),
            (AT_FIRST, f"In /home/ada/train.py, {AT_FIRST}", "4: summary has 'ada', a user's name: remove it"),
            (AT_FIRST, f"In /Users/ada/train.py, {AT_FIRST}", "4: summary has 'ada', a user's name"),
            (AT_FIRST, f"In C:\\Users\\ada\\train.py, {AT_FIRST}", "4: summary has 'ada', a user's name"),
            (AT_FIRST, f"In /home/user/train.py, {AT_FIRST}", None),
            (AT_FIRST, f"On 10.12.0.7, {AT_FIRST}", "4: summary has '10.12.0.7', an IP address: remove it, or, if"),
            (AT_FIRST, f"With cuDNN v8.9.2.26, {AT_FIRST}", None),
            (AT_FIRST, f"With nvidia-curand-cu12==10.3.5.147, {AT_FIRST}", None),
            (AT_FIRST, f"Ask ada.b@mail.org, {AT_FIRST}", "4: summary contains a secret or a personal address (e-mail"),
            ("never returns", "on 10.12.0.7 never returns", "19: labels.component.why has '10.12.0.7', an IP address"),
            ("hostfile parsing gave no slots", "IndexError: list index out of range", "6: recognise: 'IndexError: li"),
            ("hostfile parsing gave no slots", "Error: 1", "6: recognise: 'Error: 1' fits any program: choose a line"),
            ("node: hang,", "node: explosion,", "17: symptom: 'explosion' is not an active node of the house codeb"),
            ("node: hang,", "node: Hang,", "17: symptom: 'Hang' is not an active node of the house codebook; did yo"),
            ("node: hang,", "node: hangs,", "17: symptom: 'hangs' is not an active node of the house codebook; did y"),
        ],
    )  # fmt: skip
    def test_each_is_told_with_its_line(self, tmp_path: Path, old: str, new: str, said: str | None) -> None:
        found = told(tmp_path, (old, new))
        assert [one[: len(said or "")] for one in found] == ([said] if said else [])

    def test_a_code_of_another_axis_is_told_with_it(self, tmp_path: Path) -> None:
        (found,) = told(tmp_path, ("node: hang,", "node: lock-order,"))
        assert found.endswith("of the house codebook on this axis: it is a root_cause")

    def test_a_repository_that_is_not_listed_may_have_any_listed_framework(self, tmp_path: Path) -> None:
        path = tmp_path / "nobody__nothing/1.yaml"
        path.parent.mkdir()
        text = SOUND.replace("deepspeedai/DeepSpeed/issues", "nobody/nothing/issues")
        for slug, said in (
            ("deepspeed", []),
            ("deepsped", ["2: framework 'deepsped' is not in kb/core/frameworks.yaml"]),
        ):
            path.write_text(text.replace("framework: deepspeed", f"framework: {slug}"), encoding="utf-8")
            problems = check_records(tmp_path, tmp_path / "none", today=TODAY).problems
            assert [f"{one.line}: {one.reason}".partition(";")[0] for one in problems] == said


class TestForm:
    @pytest.mark.parametrize(
        ("old", "new", "said"),
        [
            ("title: Training stalls when ranks disagree", "title:", "3: title is empty"),
            ("title: Training stalls when ranks disagree", "title: Stalls", "3: title has 6 characters: write at leas"),
            ("title: Training stalls when ranks disagree\n", "", "1: title is missing"),
            ("state: closed", "state: shut", "9: state is not one of: open, closed, unknown; it is 'shut'"),
            ("by: fix", "by: me", "23: evidence.by is not one of: maintainer, reporter, other user, fix, documentati"),
            ("recognise:", "recognize:", "5: the file has an unknown key 'recognize'; did you mean 'recognise'?"),
            (
                "component:",
                "components:",
                "18: labels has an unknown key 'components'; did you mean 'component'?|13: labels.component is missing",
            ),
            ("what: Takes", "wat: Takes", "21: entry 1 of fixes has an unknown key 'wat'; did you mean 'what'?|21: f"),
            ("opened: 2026-01-01", "opened: 2026-1-1", "10: opened is not a date: write it as 2024-01-31"),
            (AFFECTS, "affects: 0.9", "12: affects must be a list: sta"),
            ('reported: ["0.9.0.12"]', "reported: [0.9]", "12: entry 1 of affects.reported is a n"),
            ('reported: ["0.9.0.12"]', 'reported: ["main of May"]', "12: entry 1 of affects.reported: 'main"),
            ('reported: ["0.9.0.12"]', "introduced: {version: '2.0'}", "12: affects.introduced.by is missing|12: aff"),
            ("package: deepspeed", "package: DeepSpeed", "12: affects.package: write the package as 'de"),
            (', reported: ["0.9.0.12"]', "", "12: entry 1 of affects: write at least one"),
            ("state: closed", "state: closed\naffects_when: zero_stge == 3", "10: affects_when: 'zero_stge' is not in"),
            ("state: closed", "state: closed\nstate: open", "10: not readable as YAML: 'state' stands here twice: kee"),
            ("title: Training", "title: Error: Training", "3: not readable as YAML: mapping values are not allowed i"),
            ("opened: 2026-01-01", "opened: 2026-02-30", "10: not readable as YAML: '2026-02-30' is no date, time"),
            ("opened: 2026-01-01", "opened: 2026-01-01 25:00:00", "10: not readable as YAML: '2026-01-01 25:00:00' is"),
            ("state: closed", "state: closed\ncomments: 0x_", "10: not readable as YAML: '0x_' is no date, time or n"),
            ("state: closed", "state: closed\n{a: b}: c", "10: not readable as YAML: a key must be plain text: put"),
            ("state: closed", "state: closed\n? [a]\n: c", "10: not readable as YAML: a key must be plain text: put"),
            ("state: closed", "state: closed\n5: many", "1: the file has an unknown key '5'"),
            ('    - {node: collectives, why: "A collective never returns."}', "    []", "18: labels.component has too"),
            ("state: closed", "state: closed\ncomments: -1", "10: comments must be 0 or more"),
            ("state: closed", "state: closed\ncomments: many", "10: comments is not a whole number"),
            ("pull/2", "issues/2", "21: fixes.url: write https://github.com/OWNER/NAME/pull/NUMBER or .../commit/SHA"),
        ],
    )  # fmt: skip
    def test_each_is_told_in_plain_words(self, tmp_path: Path, old: str, new: str, said: str) -> None:
        found = told(tmp_path, (old, new))
        for sentence in said.split("|"):
            assert [one for one in found if one.startswith(sentence)], found
        assert not [one for one in found if re.search(r"(?i)input|tuple|valid |field|extra", one)]

    def test_labels_that_are_there_but_faulty_are_not_called_missing(self, tmp_path: Path) -> None:
        found = told(tmp_path, ("node: collectives", "node: "))
        assert found == ["19: labels.component.node is empty"]

    def test_a_colon_without_quotes_is_told_with_what_to_do(self, tmp_path: Path) -> None:
        (found,) = told(tmp_path, ("title: Training", "title: Error: Training"))
        assert found.endswith("(put text with a colon in quotes, or correct the indentation)")

    @pytest.mark.parametrize(
        ("why", "hint"),
        [
            (
                "the report said: stops",
                "(close the { with a }, and put text with a colon, comma, quote or bracket in quotes)",
            ),
            (r'"pattern \d"', "(put text with backslashes in single quotes)"),
        ],
    )
    def test_text_inside_braces_is_told_with_what_to_do(self, tmp_path: Path, why: str, hint: str) -> None:
        (found,) = told(tmp_path, ('node: bug, why: "It stops making progress."', f"node: bug, why: {why}"))
        assert found.startswith("15: not readable as YAML")
        assert found.endswith(hint)

    @pytest.mark.parametrize("text", ["", "[]", "words"])
    def test_a_file_without_keys_is_told(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "1.yaml").write_text(text, encoding="utf-8")
        (problem,) = check_records(tmp_path, tmp_path / "none", today=TODAY).problems
        assert re.fullmatch(
            r".*/1\.yaml:1: the file (is empty|must be keys with values, such as {url: \.\.\., framework.*)",
            str(problem),
        )

    def test_a_file_that_is_no_text_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "1.yaml").write_bytes("title: Straße".encode("latin-1"))
        (tmp_path / "2.yaml").write_bytes(b"title: \0")
        problems = check_records(tmp_path, tmp_path / "none", today=TODAY).problems
        assert [one.reason.partition(":")[0] for one in problems] == ["is not UTF-8", "not readable as YAML"]

    def test_all_of_a_file_are_told_at_once_in_its_order(self, tmp_path: Path) -> None:
        found = told(
            tmp_path,
            (": deepspeed\n", ": nccl\n"),
            ("title: Training stalls when ranks disagree", "title:"),
            (AT_FIRST, f"On 10.12.0.7, {AT_FIRST}"),
            ("state: closed", "state: shut"),
            ("node: hang,", "node: explosion,"),
            (EVIDENCE, "evidence: []\n"),
            ("date: 2026-05-01", "date: 2027-05-01"),
        )
        assert [int(one.partition(":")[0]) for one in found] == [2, 3, 4, 9, 17, 22, 23]

    def test_labels_at_odds_are_told_beside_other_faults(self, tmp_path: Path) -> None:
        found = told(tmp_path, ("state: closed", "state: shut"), ("node: hang,", "node: hang-start,"))
        assert [one.split(" ")[:3] for one in found] == [["9:", "state", "is"], ["16:", "symptom:", "hang-start"]]


class TestPairs:
    def test_each_of_two_files_that_share_words_or_differ_on_a_fix_hears_of_it(self, tmp_path: Path) -> None:
        folder = tmp_path / "deepspeedai__deepspeed"
        folder.mkdir()
        (folder / "1.yaml").write_text(SOUND, encoding="utf-8")
        other = SOUND.replace("DeepSpeed/issues/1", "DeepSpeed/issues/2").replace("2026-01-31", "2026-01-30")
        other = other.replace("hostfile parsing gave no slots", "rendezvous closed before every agent joined")
        (folder / "2.yaml").write_text(other, encoding="utf-8")
        for one, two in (("1", "2"), ("2", "1")):
            with pytest.raises(CommandError) as caught:
                call_command("check_records", str(folder / f"{one}.yaml"), root=tmp_path, stdout=StringIO())
            lines = str(caught.value).splitlines()
            assert lines[0].startswith(f"{folder}/{one}.yaml:4: summary shares 12 words with {folder}/{two}.yaml: '")
            said = f"says other things about https://github.com/deepspeedai/DeepSpeed/pull/2 than {folder}/{two}.yaml"
            assert lines[1] == f"{folder}/{one}.yaml:21: {said}: make them agree"

    def test_records_of_a_repository_have_one_framework(self, tmp_path: Path) -> None:
        folder = tmp_path / "nobody__nothing"
        folder.mkdir()
        for number, framework in ((1, "nccl"), (2, "ray")):
            text = SOUND.replace("deepspeedai/DeepSpeed/issues/1", f"nobody/nothing/issues/{number}")
            text = text.replace("framework: deepspeed", f"framework: {framework}")
            (folder / f"{number}.yaml").write_text(text.replace("Training stalls at", f"{number * 'It '}stalls at"))
        told = [str(problem) for problem in check_records(tmp_path, tmp_path / "none", today=TODAY).problems]
        at_odds = [line.rsplit("/", 1)[-1] for line in told if "framework" in line]
        assert [line[:32] for line in at_odds] == [
            "1.yaml:2: framework is 'nccl', a",
            "2.yaml:2: framework is 'ray', an",
        ]

    def test_a_record_that_left_its_passes_hears_of_it(self, tmp_path: Path) -> None:
        path = next(iter(read_passes()))
        record = RECORDS / path.relative_to(PASSES)
        copy = tmp_path / path.relative_to(PASSES)
        copy.parent.mkdir()
        text = record.read_text(encoding="utf-8")
        copy.write_text(re.sub(r"  stage:\n(    - .*\n)+", "  stage: []\n", text), encoding="utf-8")
        with pytest.raises(CommandError, match=rf"{path}:\d+: stage: the record says nothing, which is not the p"):
            call_command("check_records", str(copy), root=tmp_path, stdout=StringIO())


def test_the_command_fails_with_file_and_line(tmp_path: Path) -> None:
    told(tmp_path, ("state: closed", "state: shut"))
    with pytest.raises(CommandError, match=r"deepspeedai__deepspeed/1\.yaml:9: state is not one of"):
        call_command("check_records", root=tmp_path, stdout=StringIO())
