"""The public logs: that they are in order and hold nobody's data, and a floor under how well they are diagnosed."""

import ipaddress
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.kb.core.diagnosis.evaluation.adding import add, marked
from tests.kb.core.diagnosis.evaluation.corpus import (
    CORPUS,
    FAILED,
    HELD_OUT,
    OPEN,
    PARTS,
    SOUND,
    Entry,
    entries,
    part_of,
    read_corpus,
)
from tests.kb.core.diagnosis.evaluation.measures import Tally, judged, tally
from tests.kb.core.diagnosis.evaluation.methods import ours
from tests.kb.core.diagnosis.evaluation.published import figures_of
from tests.support.measured import compare

# RFC 5737, RFC 3849; what means this machine, none or all; a container's own network.
PLACEHOLDERS = [
    ipaddress.ip_network(network)
    for network in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "127.0.0.0/8", "0.0.0.0/32", "172.17.0.0/16")
]
ADDRESS = re.compile(r"(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]|-\w)")
MAIL = re.compile(r"[\w.+-]+@(?!.*example\.)[\w-]+\.(?:com|org|net|edu|cn|io|ai|de|fr|uk)\b")
HOME = re.compile(r"(?:/home/|/Users/|C:\\Users\\)(?!user\b|runner\b|ubuntu\b)[\w.-]+")
# Where somebody's packages come from.
INDEX = re.compile(r"(?:[Ll]ooking in (?:indexes|links)|index-url)[:= ]+https?://(?!\S*\bexample\.)\S+")
LONGEST = 120
VERDICTS = {"failure", "none", "cancelled", "healthy", "incomplete", "stopped"}
SYMPTOMS = {"crash", "launch_failure", "hang", "slowdown", "numerical", "cancelled", "none"}
ENTRIES = [(path, entry) for part in PARTS for path, entry in entries(part)]


def text(path: Path) -> str:
    return path.read_bytes().decode()


def private(log: str) -> Iterator[str]:
    yield from MAIL.findall(log)
    yield from HOME.findall(log)
    yield from INDEX.findall(log)
    for word in ADDRESS.findall(log):
        is_address = all(int(number) < 256 for number in word.split("."))
        if is_address and not any(ipaddress.ip_address(word) in network for network in PLACEHOLDERS):
            yield word


def test_logs_hold_nobodys_data() -> None:
    found = {path.stem: sorted(private(text(path))) for path, _ in ENTRIES}
    assert {name: words for name, words in found.items() if words} == {}


def test_what_is_private_is_seen() -> None:
    log = "at 10.12.0.7:29500 by a.b@lab.edu in /home/anna/run, not 192.0.2.7, torch-2.4.1.0, 1.2.3.400 or /home/user/x"
    assert list(private(log)) == ["a.b@lab.edu", "/home/anna", "10.12.0.7"]
    own, other = "https://index.example.org/simple", "https://packages.lab.edu/simple"
    assert list(private(f"Looking in indexes: {own}")) == []
    assert list(private(f"Looking in indexes: {other}")) == [f"Looking in indexes: {other}"]


@pytest.mark.parametrize(("path", "entry"), ENTRIES, ids=[path.stem for path, _ in ENTRIES])
def test_a_truth_is_in_order(path: Path, entry: Entry) -> None:
    lines = text(path).split("\n")
    assert path.parts[-3] == part_of(path.parent.name, path.stem)
    assert entry["verdict"] in VERDICTS
    assert entry.get("symptom", "none") in SYMPTOMS
    assert entry["source"].startswith("https://")
    assert 5 <= len(lines) - 1 <= LONGEST
    assert (entry["verdict"] == "failure") == bool(entry.get("root"))
    for number, beginning in entry.get("root", {}).items():
        assert lines[number - 1].startswith(beginning)


def test_no_thread_is_in_both_parts() -> None:
    tuned_on, held_out = ({entry["source"] for _, entry in entries(part)} for part in PARTS)
    assert tuned_on & held_out == set()


def test_no_log_is_without_truth() -> None:
    assert {path for path, _ in ENTRIES} == set(CORPUS.rglob("*.log"))


def test_a_marked_log_becomes_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.kb.core.diagnosis.evaluation.adding.CORPUS", tmp_path)
    told = "=== vllm/a-fault\nsource: https://example.org\nverdict: failure\n---\nfine\n"
    told += "Traceback (most recent call last):\n  File\n!|ValueError: no\n+|it failed\nend\n"
    for name, head, lines in marked(told):
        add(name, head, lines)
    folder = tmp_path / part_of("vllm", "a-fault") / "vllm"
    assert (folder / "a-fault.log").read_text().split("\n")[3] == "ValueError: no"
    assert "root:\n    4: 'ValueError: no'\n  support: 2 3 5" in (folder / "truth.yaml").read_text()


# Of the open and the held-out logs. To be raised with the diagnosis, never lowered for it.
FLOORS = {
    OPEN: {
        "hit@1": 0.92, "hit@5": 0.95, "F1 events": 0.85, "verdict": 0.95, "symptom": 0.85, "stage": 0.9,
        "rank top-1": 0.85,
    },
    HELD_OUT: {
        "hit@1": 0.84, "hit@5": 0.95, "F1 events": 0.72, "verdict": 0.92, "symptom": 0.76, "stage": 0.83,
        "rank top-1": 0.7,
    },
}  # fmt: skip
MOST_ALARMS = 0.2
# A signal more or less does not change what readers may expect; one of nine suspects is a ninth.
TOLERANCE = 0.12


@pytest.mark.parametrize("part", PARTS)
def test_failed_runs_keep_their_floors(part: str) -> None:
    found = measured(FAILED, part)
    below = {measure: found.mean(measure) for measure, floor in FLOORS[part].items() if found.mean(measure) < floor}
    assert below == {}


@pytest.mark.parametrize("part", PARTS)
def test_sound_runs_raise_no_alarm(part: str) -> None:
    found = measured(SOUND, part)
    assert max(found.mean("false alarm"), found.mean("cancelled alarm")) <= MOST_ALARMS


@pytest.mark.parametrize("part", PARTS)
def test_the_site_shows_what_is_measured(part: str) -> None:
    whole = Tally()
    for source in (FAILED, SOUND):
        for measure, values in measured(source, part).values.items():
            whole.values[measure] += values
    compare("diagnosis", list(figures_of(whole, among=part)), within=TOLERANCE)


@cache
def measured(source: str, part: str) -> Tally:
    jobs = (truth for truth in read_corpus(part) if truth.source == source)
    return tally(judged(truth, ours(truth)) for truth in jobs)
