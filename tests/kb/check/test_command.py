"""`manage.py check_setup`: text, JSON, SARIF, exit codes and the ignore file."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.kb.check.faults import FREEZE, ZERO_2, ZERO_3, make_fault, write

pytestmark = pytest.mark.django_db
AFFECTED = {"pip-freeze.txt": FREEZE, "conf/ds.json": ZERO_3}


def run(*arguments: str | Path) -> tuple[int, str, str]:
    out, err = StringIO(), StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("check_setup", *map(str, arguments), stdout=out, stderr=err)
    code = ended.value.code
    assert isinstance(code, int)
    return code, out.getvalue(), err.getvalue()


class TestExitCodes:
    def test_something_affects(self, tmp_path: Path) -> None:
        issue = make_fault()
        code, out, _ = run(write(tmp_path, AFFECTED))
        assert code == 1
        assert out.startswith("Affects you (1)\n  Gradients are wrong with ZeRO-3\n")
        for part in (issue.url, "do: Upgrade deepspeed to 0.15.1", "conf/ds.json", "1 affect, 0 may", "not a proof"):
            assert part in out

    def test_nothing_affects(self, tmp_path: Path) -> None:
        make_fault()
        code, out, _ = run(write(tmp_path, AFFECTED | {"conf/ds.json": ZERO_2}))
        assert (code, "0 affect, 0 may" in out) == (0, True)

    def test_what_only_may_does_not_fail_a_build(self, tmp_path: Path) -> None:
        make_fault()
        code, out, _ = run(write(tmp_path, {"pip-freeze.txt": FREEZE}))
        assert (code, "Less certain: 1." in out) == (0, True)

    def test_bad_input(self, tmp_path: Path) -> None:
        (tmp_path / "weights.bin").write_bytes(b"\0\1")
        empty = tmp_path / "empty"
        empty.mkdir()
        for path, part in ((tmp_path / "gone", "not exist"), (empty, "nothing"), (tmp_path / "weights.bin", "no text")):
            code, out, err = run(path)
            assert (code, out, part in err) == (2, "", True)


def test_files_and_folders_are_one_set_up_without_what_is_hidden_or_binary(tmp_path: Path) -> None:
    make_fault()
    write(tmp_path, {"a/pip-freeze.txt": FREEZE, "b.json": ZERO_3, "a/.git/config": ZERO_2, "a/node_modules/x": ZERO_2})
    (tmp_path / "a" / "weights.bin").write_bytes(b"\0\1")
    code, out, _ = run(tmp_path / "a", tmp_path / "b.json", "--format", "json")
    assert code == 1
    assert [Path(source["name"]).name for source in json.loads(out)["looked_at"]] == ["pip-freeze.txt", "b.json"]


class TestSarif:
    def test_it_has_what_the_schema_requires(self, tmp_path: Path) -> None:
        issue = make_fault()
        make_fault(condition="", heading="Another")
        code, out, _ = run(write(tmp_path, AFFECTED), "--format", "sarif")
        data = json.loads(out)
        (run_data,) = data["runs"]
        driver, results = run_data["tool"]["driver"], run_data["results"]
        assert (code, data["version"], driver["name"]) == (1, "2.1.0", "Faultbook")
        assert [result["level"] for result in results] == ["error", "note"]
        assert {rule["id"] for rule in driver["rules"]} == {result["ruleId"] for result in results}
        assert all(rule["shortDescription"]["text"] and rule["helpUri"] for rule in driver["rules"])
        assert results[0]["ruleId"] == issue.url
        assert results[0]["message"]["text"].endswith(".")
        (place,) = results[0]["locations"]
        assert place["physicalLocation"] == {
            "artifactLocation": {"uri": "pip-freeze.txt"},
            "region": {"startLine": 2},
        }

    def test_what_is_ignored_is_suppressed_and_what_is_fixed_left_out(self, tmp_path: Path) -> None:
        issue = make_fault()
        ignore = write(tmp_path / "ci", {"ignore.yaml": entry(issue.url, "2999-01-01")}) / "ignore.yaml"
        code, out, _ = run(write(tmp_path / "set-up", AFFECTED), "--format", "sarif", "--ignore", ignore)
        (result,) = json.loads(out)["runs"][0]["results"]
        assert (code, result["suppressions"]) == (0, [{"kind": "external"}])
        fixed = AFFECTED | {"pip-freeze.txt": FREEZE.replace("0.14.2", "0.16.0")}
        _, out, _ = run(write(tmp_path / "set-up", fixed), "--format", "sarif")
        assert json.loads(out)["runs"][0]["results"] == []


def entry(issue: str, until: str, reason: str = "We run one rank.") -> str:
    return f'ignore:\n  - issue: "{issue}"\n    reason: "{reason}"\n    until: {until}\n'


class TestIgnoring:
    def test_a_valid_entry_is_heeded_and_counted(self, tmp_path: Path) -> None:
        issue = make_fault()
        ignore = write(tmp_path / "ci", {"ignore.yaml": entry(issue.url, "2999-01-01")}) / "ignore.yaml"
        code, out, _ = run(write(tmp_path / "set-up", AFFECTED), "--ignore", ignore)
        assert (code, "1 ignored" in out) == (0, True)

    def test_an_expired_one_counts_again_and_is_told(self, tmp_path: Path) -> None:
        issue = make_fault()
        ignore = write(tmp_path / "ci", {"ignore.yaml": entry(issue.url, "2020-01-31")}) / "ignore.yaml"
        code, out, _ = run(write(tmp_path / "set-up", AFFECTED), "--ignore", ignore)
        assert (code, f"No longer ignored since 2020-01-31: {issue.url}" in out) == (1, True)

    @pytest.mark.parametrize(
        ("text", "line", "part"),
        [
            ("ignore:\n  - issue: a\n    until: 2999-01-01\n", 2, "reason"),
            ("ignore:\n  - issue: a\n    reason: b\n    until: soon\n", 4, "not a date"),
            ("ignore:\n  - issue: a\n    reason: b\n    until: 2999-01-01\n    why: c\n", 5, "why"),
            ("ignore: [\n", 2, "not readable as YAML"),
            ("- issue: a\n", 1, "keys with values"),
        ],
    )
    def test_a_bad_entry_is_refused_with_its_line(self, tmp_path: Path, text: str, line: int, part: str) -> None:
        ignore = write(tmp_path / "ci", {"ignore.yaml": text}) / "ignore.yaml"
        code, out, err = run(write(tmp_path / "set-up", AFFECTED), "--ignore", ignore)
        assert (code, out) == (2, "")
        assert f"ignore.yaml:{line}:" in err
        assert part in err

    def test_a_missing_file_is_refused(self, tmp_path: Path) -> None:
        code, _, err = run(write(tmp_path, AFFECTED), "--ignore", tmp_path / "gone.yaml")
        assert (code, "cannot be read" in err) == (2, True)
