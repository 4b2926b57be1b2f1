"""What is offered as a known issue: the record itself for its own error line, and nothing for what no record is of."""

import io

import pytest

from kb.core.diagnosis.pipeline import InputFile
from kb.core.diagnosis.schema import DiagnosisData
from kb.diagnose.answer import answer
from kb.models import Issue
from kb.search.normalise import words
from tests.support.engines import index_all_issues

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("starter", "search_index")]
# What makes a line of a log an error's.
NAMED = ("Error", "error", "ERROR", "WARN", "undefined symbol", "mismatch")
MOST, FEWEST, OWN_FIRST, OWN_AMONG_FIVE = 40, 25, 0.8, 0.85
STEPS = "".join(f"iteration {step} | lm loss: {3 - step / 50:.4f} | elapsed: 812 ms\n" for step in range(1, 31))
# Failures of somebody's own, of which no record is.
UNRELATED = (
    "KeyError: 'customer_birthday_column'",
    "FileNotFoundError: [Errno 2] No such file or directory: '/data/recipes/apple-pie.json'",
    "ZeroDivisionError: division by zero",
    "ModuleNotFoundError: No module named 'grandmas_cookbook'",
    "sqlite3.OperationalError: no such table: birdwatching",
    "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
    "ConnectionRefusedError: [Errno 111] the weather station on the roof refused the connection",
    "PermissionError: [Errno 13] Permission denied: '/srv/photos'",
    "ValueError: the harvest of 1789 is not in the almanac",
    "yaml.scanner.ScannerError: mapping values are not allowed here",
)


def diagnosed(error: str, frames: str = '[rank0]:   File "/w/go.py", line 9, in run') -> DiagnosisData:
    log = f"{STEPS}[rank0]: Traceback (most recent call last):\n{frames}\n{error}\n"
    return answer(files=[InputFile("job.log", io.BytesIO(log.encode()))])


def own_lines() -> list[tuple[str, str]]:
    """The address of a record, and its longest signature that is the line of an error; frames and names are none."""
    found = []
    for issue in Issue.objects.curated().order_by("url"):
        lines = [one for one in issue.recognise if any(name in one for name in NAMED) and len(set(words(one))) >= 4]
        found += [(issue.url, max(lines, key=len))] if lines else []
    return found[:MOST]


def test_a_record_is_offered_for_its_own_error_line() -> None:
    index_all_issues()
    asked = own_lines()
    assert len(asked) >= FEWEST
    places = []
    for url, line in asked:
        offered = [issue["source_url"] for issue in diagnosed(line)["issues"]]
        places.append(offered.index(url) if url in offered else None)
    first = sum(place == 0 for place in places) / len(asked)
    among = sum(place is not None and place < 5 for place in places) / len(asked)
    missing = [line for (_, line), place in zip(asked, places, strict=True) if place != 0]
    told = f"{first:.0%} first, {among:.0%} among five, of {len(asked)}; not first: {missing}"
    assert (first >= OWN_FIRST, among >= OWN_AMONG_FIVE) == (True, True), told


def test_nothing_is_offered_for_what_no_record_is_of() -> None:
    index_all_issues()
    found = {error: diagnosed(error) for error in UNRELATED}
    assert {one["verdict"] for one in found.values()} == {"failure"}
    assert {error: one["issues"] for error, one in found.items() if one["issues"]} == {}


def test_a_sentence_of_pythons_own_counts_only_in_the_code_of_the_records_framework() -> None:
    index_all_issues()
    frames = '[rank0]:   File "/usr/lib/python3/site-packages/deepspeed/profiling/flops_profiler.py", line 9, in end'
    theirs = diagnosed("[rank0]: ZeroDivisionError: division by zero", frames)
    assert {issue["source_url"].split("/")[4] for issue in theirs["issues"]} == {"DeepSpeed"}
