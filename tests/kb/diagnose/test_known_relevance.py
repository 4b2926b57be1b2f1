"""What is offered as a known issue: the record itself for its own error line, and nothing for what no record is of."""

import io
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pytest

from kb.core.diagnosis.pipeline import InputFile
from kb.core.diagnosis.schema import DiagnosisData, KnownIssue
from kb.core.frameworks import read_frameworks
from kb.core.quality.figures import share
from kb.diagnose.answer import answer
from kb.models import Issue
from tests.support.engines import index_all_issues
from tests.support.factories import make_issue
from tests.support.measured import keep_or_compare

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("starter", "search_index")]
# What makes a line of a log an error's.
NAMED = ("Error", "Exception", "error", "failed", "Failed", "WARN", "Exit")
# Of the records' error lines, so many find their record among the first three; so many with the line taken out of it.
OWN_AMONG_THREE, UNQUOTED_AMONG_THREE = 0.85, 0.3
# So many are told to be the same error as another record's.
MOST_SAME_AS_OTHERS = 0.1
# New records change the shares a little; readers are told of more than that.
TOLERANCE = 0.03
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


class Asked(NamedTuple):
    """A record's address, a folder of its framework's code, and its longest error line."""

    url: str
    package: str
    line: str


def error_lines() -> list[Asked]:
    """Of each record that quotes an error; a bare name or a piece of code is asked for as a message."""
    packages = {framework.slug: framework.packages for framework in read_frameworks().frameworks}
    asked: list[Asked] = []
    for issue in Issue.objects.curated().exclude(recognise=[]).select_related("repository__framework").order_by("url"):
        line = max(issue.recognise, key=len)
        if not any(name in line for name in NAMED):
            line = f"RuntimeError: {line}"
        package = next(iter(packages[issue.repository.framework.slug]), "app")
        asked.append(Asked(issue.url, package, line))
    return asked


def offered(asked: Asked) -> list[KnownIssue]:
    code = f"/opt/venv/lib/python3.10/site-packages/{asked.package}/core.py"
    log = f"{STEPS}[rank0]: loading {code}\n[rank0]: {asked.line}\n"
    return answer(files=[InputFile("job.log", io.BytesIO(log.encode()))])["issues"]


def among_three(answers: Iterable[tuple[Asked, Sequence[KnownIssue]]]) -> list[bool]:
    """Of each record, whether it stands among the first three of its answers."""
    return [asked.url in [issue["source_url"] for issue in issues[:3]] for asked, issues in answers]


def measured(name: str, hits: Sequence[bool], among: str = "records") -> float:
    """The share that the site shows under this name, as it is now."""
    keep_or_compare("known_issues", [share(name, sum(hits), len(hits), among=among)], within=TOLERANCE)
    return sum(hits) / len(hits)


def test_a_record_is_offered_for_its_own_error_line_and_seldom_another_as_the_same_error() -> None:
    index_all_issues()
    answers = [(asked, offered(asked)) for asked in error_lines()]
    assert measured("own_line_first_three", among_three(answers)) >= OWN_AMONG_THREE
    others = [
        any(issue["relation"] == "same_error" and issue["source_url"] != asked.url for issue in issues)
        for asked, issues in answers
    ]
    assert measured("same_error_as_another", others) <= MOST_SAME_AS_OTHERS


def test_a_record_is_found_by_what_it_says_without_the_line() -> None:
    asked = error_lines()
    Issue.objects.exclude(recognise=[]).update(recognise=[])
    index_all_issues()
    found = among_three((one, offered(one)) for one in asked)
    assert measured("without_line_first_three", found) >= UNQUOTED_AMONG_THREE


def test_nothing_is_offered_for_what_no_record_is_of() -> None:
    index_all_issues()
    found = {error: diagnosed(error) for error in UNRELATED}
    assert {one["verdict"] for one in found.values()} == {"failure"}
    assert {error: one["issues"] for error, one in found.items() if one["issues"]} == {}
    measured("offered_for_nothing", [bool(one["issues"]) for one in found.values()], among="unrelated")


def test_a_sentence_of_pythons_own_counts_only_in_the_code_of_the_records_framework() -> None:
    index_all_issues()
    frames = '[rank0]:   File "/usr/lib/python3/site-packages/deepspeed/profiling/flops_profiler.py", line 9, in end'
    theirs = diagnosed("[rank0]: ZeroDivisionError: division by zero", frames)
    assert {issue["source_url"].split("/")[4] for issue in theirs["issues"]} == {"DeepSpeed"}


def test_words_alone_make_no_issue_of_another_framework_alike() -> None:
    theirs = make_issue(title="Grating of a harvester: dynamic weaving modules cannot be entangled, tools are lost")
    index_all_issues()
    unnamed, named = (
        answer(
            files=[
                InputFile("job.log", io.BytesIO(f"RuntimeError: {name}dynamic weaving modules entangled\n".encode()))
            ]
        )
        for name in ("", "Unsloth: ")
    )
    assert theirs.url in [issue["source_url"] for issue in unnamed["issues"]]
    assert named["issues"] == []


def test_a_line_that_an_issue_quotes_is_shown_without_its_secrets() -> None:
    token = f"ghp_{'a1B2' * 9}"
    issue = make_issue(title="Upload fails", body=f"```\nUploadRefusedError: harvester said no to {token}\n```")
    index_all_issues()
    (known,) = diagnosed(f"UploadRefusedError: harvester said no to {token}")["issues"]
    assert known["source_url"] == issue.url
    assert token not in known["why"]
