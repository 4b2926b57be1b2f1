"""Every signal keeps the rules, shown on its own examples, and a mistake is told in plain words with file and line."""

import shutil
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from kb.codebook.format import parents_of, read_house
from kb.core.diagnosis.signals import literals, rules
from kb.core.diagnosis.signals.catalogue import FOLDER
from kb.core.diagnosis.signals.check import SignalReport, check_signals

ROOT = Path(__file__).parents[4]
KNOWN = parents_of(read_house(ROOT / "kb/codebook/house.yaml"))
FILES = sorted(FOLDER.glob("*.yaml"))
GOOD = """\
family: fires
title: Fires
signals:
  - code: disk-on-fire
    role: root
    weight: 4
    pattern: 'disk \\w+ is on fire'
    unless: 'drill'
    symptom: device-error
    run_symptom: crash
    causes: [node-fault]
    means: The disk burns.
    check: ['Look at the disk.']
    source: https://docs.kernel.org/disk
    examples: ['error: disk sda is on fire']
    misses: ['disk sda is warm', 'disk sda is on fire, a drill']
"""
ANOTHER = GOOD[GOOD.index("  - code") :].replace("The disk burns", "Another disk burns")
TWIN = ANOTHER.replace("Another disk burns.", "It is hot. The disk burns.").replace("code: ", "code: second-")


@pytest.fixture(scope="module")
def report() -> SignalReport:
    return check_signals(KNOWN)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "fires.yaml").write_text(GOOD, encoding="utf-8")
    return tmp_path


def told(folder: Path) -> list[str]:
    return [str(problem).removeprefix(f"{folder}/") for problem in check_signals(KNOWN, folder).problems]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_signals_of_a_file_keep_every_rule_on_their_own_examples(path: Path, report: SignalReport) -> None:
    """They match their examples and not their misses, and no line of a healthy run."""
    problems = [str(problem) for problem in report.problems if problem.path == path]
    assert not problems, "\n" + "\n".join(problems)
    assert report.signals[path] > 0


def test_a_good_file_is_fine(folder: Path) -> None:
    assert told(folder) == []


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("'disk \\w+ is on fire'", "'\\w*'", 7, "pattern: matches '', which says nothing, so nearly every line"),
        ("'drill'", "'x*'", 8, "unless: matches '', which says nothing, so nearly no line would ever"),
        ("disk \\w+ is", "disk (?=sda)", 7, "pattern: RE2 has no `(?=`"),
        ("disk \\w+ is", "(disk \\w+ is", 7, "pattern: (disk \\w+ is on fire is not in RE2's syntax: missing )"),
        ("'disk \\w+", "'.*disk \\w+", 7, "pattern: a search needs no leading .*: remove it"),
        ("\\w+ is", "\\w{1,200} is", 7, "pattern: a count above 60"),
        ("is on fire'\n", "is on fire|lm loss'\n", 7, "pattern: matches 'iteration "),
        ("error: disk sda is on fire", "tape", 15, "examples: the pattern does not match 'tape': correct"),
        ("'drill'", "'drill|error'", 15, "examples: `unless` takes 'error: disk sda is on fire' back"),
        ("sda is warm", "sda is on fire", 16, "misses: the pattern matches 'disk sda is on fire': narrow"),
        ("device-error", "device-eror", 9, "symptom: 'device-eror' is no active symptom of the house codebook"),
        ("[node-fault]", "[oom]", 11, "causes: 'oom' is no active root cause of the house codebook"),
        ("[node-fault]", "[node-fault, node-fault]", 11, "causes: 'node-fault' is named twice"),
        ("[node-fault]", "node-fault", 11, "causes must be a list"),
        ("https://docs", "http://docs", 14, "source: 'http://docs.kernel.org/disk' is no https address"),
        ("kernel.org", "example.org", 14, "source: 'https://docs.example.org/disk' is a placeholder"),
        ("docs.kernel.org/", "medium.com/", 14, "source: 'https://medium.com/disk' is a forum or an issue"),
        ("pattern:", "patern:", 7, "entry 1 of signals has an unknown key 'patern'; did you mean 'pattern'?"),
        ("    means: The disk burns.\n", "", 4, "means is missing"),
        ("role: root", "role: rot", 5, "role is not one of: root, cascade, "),
        ("weight: 4", "weight: 6", 6, "weight must be 5 or less"),
        ("['error: disk sda is on fire']", "[]", 15, "examples has too few entries"),
        ("    misses:", "    # misses:", 5, "role: a root shows, as `misses`"),
        ("role: root", "role: noise", 9, "symptom: noise names neither"),
        ("role: root", "role: noise", 6, "weight: noise weighs at most 2"),
        ("role: root", "role: cancel", 5, "role: a cancel has `run_symptom: cancelled`"),
        ("run_symptom: crash", "run_symptom: cancelled", 10, "run_symptom: only a signal with `role: cancel`"),
        ("    run_symptom:", "    # run_symptom:", 5, "role: `run_symptom` is missing"),
        ("burns.", "burns", 12, "means: write a whole sentence"),
        ("Look at", f"Look {'long ' * 60} at", 13, "check: 318 characters are too many"),
        ("Look at", "Look at {disk} of", 13, "check: nothing is filled in for {disk}: it is one of node, rank"),
        ("Look at", "Run `lsblk at", 13, "check: a command stands between two backticks: one is missing"),
        ("error: disk", "size mismatch: disk", 12, "means: 'size mismatch: disk sda is on fire' speaks of sizes"),
        (GOOD, GOOD + ANOTHER, 17, "code: 'disk-on-fire' is in fires.yaml:4 too: give another"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_mistake_is_told_with_its_line_and_what_to_do(
    folder: Path, old: str, new: str, line: int, reason: str
) -> None:
    assert old in GOOD
    (folder / "fires.yaml").write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    expected = f"fires.yaml:{line}: disk-on-fire: {reason}"
    assert [one for one in told(folder) if one.startswith(expected)], told(folder)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("disk-on-fire", "Disk on fire", "fires.yaml:4: Disk on fire: code has a character that may not stand there"),
        ("code: disk-on-fire", "scope: rank", "fires.yaml:4: a signal without a code: code is missing"),
        ("weight: 4", "weight: 4\n    weight: 5", "fires.yaml:7: not readable as YAML: 'weight' stands here twice"),
        ("family: fires", "family: floods", "fires.yaml:1: family: is 'floods', the file's name is not"),
        ("title: Fires", "title: [", "fires.yaml:4: not readable as YAML"),
        ("title: Fires", "titel: Fires", "fires.yaml:2: the file has an unknown key 'titel'; did you mean 'title'?"),
        (GOOD, GOOD + TWIN, "fires.yaml:25: second-disk-on-fire: means: 'The disk burns.' is in fires.yaml:12 too"),
        (GOOD, "[]", "fires.yaml:1: the file must be keys with values"),
        ("title: Fires", "title: 5", "fires.yaml:2: title is a number to YAML"),
        (GOOD, GOOD + "\n" * 300, "fires.yaml:300: 316 lines are too many to read: at most 300, begin another family"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_mistake_of_the_file_is_told_with_its_line(folder: Path, old: str, new: str, expected: str) -> None:
    (folder / "fires.yaml").write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    assert [one for one in told(folder) if one.startswith(expected)], told(folder)


def test_all_mistakes_of_a_file_are_told_at_once(folder: Path) -> None:
    wrong = GOOD.replace("weight:", "wait:").replace("sda is warm", "sda is on fire").replace("node-fault", "oom")
    (folder / "fires.yaml").write_text(wrong.replace("family: fires", "family: floods"), encoding="utf-8")
    assert [one.split(":")[1] for one in told(folder)] == ["4", "6", "11", "16"]


def test_an_example_that_noise_silences_names_the_noise(folder: Path) -> None:
    noise = GOOD.replace("role: root", "role: noise").replace("weight: 4", "weight: 1").replace("fires", "drills")
    noise = (
        noise.replace("disk-on-fire", "drill").replace("The disk", "No disk").replace("    causes: [node-fault]\n", "")
    )
    noise = noise.replace("    symptom: device-error\n", "")
    (folder / "drills.yaml").write_text(noise, encoding="utf-8")
    line = "'error: disk sda is on fire'"
    assert told(folder) == [
        f"drills.yaml:7: drill: pattern: silences {line}, an example of disk-on-fire: exclude it by `unless`",
        f"fires.yaml:15: disk-on-fire: examples: {line} is silenced by drill: exclude it there by `unless`",
    ]
    (folder / "drills.yaml").write_text(noise.replace(r"disk \w+ is on fire", "Ray deduplicates"), encoding="utf-8")
    assert any(
        "is on fire [repeated 3x across cluster] (Ray" in one and "silenced by drill" in one for one in told(folder)
    )


def test_a_code_of_two_files_is_told_in_both(folder: Path) -> None:
    (folder / "ashes.yaml").write_text(GOOD.replace("fires", "ashes").replace("burns", "burnt"), encoding="utf-8")
    assert [one.split(" is in ")[1].split(" too")[0] for one in told(folder)] == ["fires.yaml:4", "ashes.yaml:4"]


def test_a_pattern_that_the_search_for_words_misses_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.core.diagnosis.signals.matching.required_words", lambda _: ("tape",))
    (one,) = told(folder)
    assert one.startswith("fires.yaml:15: disk-on-fire: examples: the search for words that the pattern requires")
    assert (ROOT / "kb/core/diagnosis/signals/literals.py").samefile(literals.__file__)


def test_healthy_lines_are_many_enough_to_be_of_use() -> None:
    assert len(rules.healthy_lines()) >= 20
    assert all(rules.healthy_lines())


def test_the_command_reports_on_the_named_files_alone(folder: Path) -> None:
    shutil.copy(FOLDER / "cuda.yaml", folder)
    (folder / "fires.yaml").write_text(GOOD.replace("pattern:", "patern:"), encoding="utf-8")
    out = StringIO()
    call_command("check_signals", str(folder / "cuda.yaml"), root=folder, stdout=out)
    assert out.getvalue().endswith(" signals are fine.\n")
    with pytest.raises(CommandError, match=r"fires\.yaml:7: disk-on-fire: entry 1 of signals has an unknown key"):
        call_command("check_signals", root=folder)
    with pytest.raises(CommandError, match="not a signal file"):
        call_command("check_signals", str(folder / "floods.yaml"), root=folder)
