"""What the set-up that a log tells of says of a known issue: its versions, and the settings that the fault needs."""

import io

import pytest

from kb.core.diagnosis.pipeline import InputFile
from kb.core.search.error_matches import ErrorQuery
from kb.core.search.error_setups import on_condition, on_version
from kb.core.setups.facts import Setup
from kb.core.setups.known_faults import KnownFault
from kb.core.setups.reading import read_setup
from kb.core.versions import allowed_by
from kb.diagnose.answer import answer
from kb.models import AffectedRange, Issue
from kb.search.error_matches import error_matches
from kb.selectors.affected import known
from tests.kb.check.faults import FREEZE, ZERO_2, ZERO_3, make_fault
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_issues

pytestmark = pytest.mark.django_db
ERROR = "AssertionError: partition of the flattened gradient overlaps its neighbour"


def _fault(issue: Issue) -> KnownFault:
    return known().by_url[issue.url]


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("0.14.2", ": fixed in 0.15.1, you run 0.14.2"),
        ("0.14.2+cu124", ": fixed in 0.15.1, you run 0.14.2+cu124"),
        ("0.15.1rc1", ": fixed in 0.15.1, you run 0.15.1rc1"),
        ("0.16.0", ": fixed in 0.15.1, you run 0.16.0"),
        ("0.13.0", ""),
        ("", ""),
        ("a branch", ""),
    ],
)
def test_it_says_where_it_is_fixed(version: str, words: str) -> None:
    assert on_version(_fault(make_fault()), allowed_by(version))[1] == words


def test_a_version_in_range_speaks_for_it_and_one_with_the_fix_against() -> None:
    fault = _fault(make_fault())
    marks = [on_version(fault, allowed_by(version))[0] for version in ("0.14.2", "0.15.1rc1", "0.13.0", "0.16.0")]
    assert marks == sorted(marks, reverse=True)
    assert marks[0] > 0 > marks[-1]


def test_without_a_fix_the_very_version_of_a_report_speaks_for_it() -> None:
    issue = make_fault()
    issue.affected_ranges.update(introduced="0.14.0", introduced_by="reported", reported=["0.14.0"], fixed="")
    fault = _fault(issue)
    assert on_version(fault, allowed_by("0.14.0"))[1] == " (0.14.0, too)"
    assert on_version(fault, allowed_by("0.14.1")) == (0.0, "")


def test_ranks_with_different_versions_in_range_both_speak_for_it() -> None:
    setup = read_setup([("rank0.log", FREEZE), ("rank1.log", FREEZE.replace("0.14.2", "0.14.4"))])
    mark, words = on_version(_fault(make_fault()), setup.packages["deepspeed"].allowed)
    assert mark > 0
    assert words == ": fixed in 0.15.1, you run 0.14.2 or 0.14.4"


def test_an_issue_without_versions_says_nothing() -> None:
    assert on_version(None, allowed_by("0.14.2")) == (0.0, "")


def test_of_issues_with_the_same_error_the_one_in_range_comes_first(search_index: PutIssuesIn) -> None:
    fixed, open_one = (make_fault(heading="It asserts", recognise=[ERROR]) for _ in range(2))
    AffectedRange.objects.filter(issue=fixed).update(introduced="0.10.0", fixed="0.12.0")
    make_issues(20, title="Slow start", body="The step loads a batch and returns.")
    search_index()
    matches = error_matches(ErrorQuery(lines=(ERROR,), versions={"deepspeed": "0.14.2"}), 5)
    assert [match.card.url for match in matches] == [open_one.url, fixed.url]
    assert "fixed in 0.15.1, you run 0.14.2" in matches[0].why
    assert "fixed in 0.12.0, you run 0.14.2" in matches[1].why


@pytest.mark.parametrize(
    ("log", "words"),
    [
        (ZERO_3, "your set-up is of its kind: zero_stage is 3"),
        (ZERO_2, "your set-up is not of its kind: zero_stage is 2"),
        (FREEZE, ""),
        ("", ""),
    ],
)
def test_it_says_whether_the_set_up_is_of_the_kind_that_the_fault_needs(log: str, words: str) -> None:
    mark, told = on_condition(_fault(make_fault()), read_setup([("log", log)]))
    assert told.partition(" (")[0] == words
    assert (mark > 0) is words.startswith("your set-up is of")
    assert (mark < 0) is words.startswith("your set-up is not")


def test_a_fault_of_every_set_up_says_nothing() -> None:
    assert on_condition(_fault(make_fault("any")), read_setup([("log", ZERO_3)])) == (0.0, "")
    assert on_condition(None, Setup()) == (0.0, "")


def test_a_log_that_prints_its_configuration_and_versions_ranks_by_them(search_index: PutIssuesIn) -> None:
    other = make_fault("zero_stage == 2", heading="It asserts", recognise=[ERROR])
    own = make_fault("zero_stage == 3", heading="It asserts", recognise=[ERROR])
    make_issues(20, title="Slow start", body="The step loads a batch and returns.")
    search_index()
    trace = f'Traceback (most recent call last):\n  File "deepspeed/runtime/zero/stage3.py", line 9, in step\n{ERROR}\n'

    def files() -> list[InputFile]:
        return [InputFile("job.log", io.BytesIO(f"{FREEZE}{ZERO_3}{trace}".encode()))]

    first, second = answer(files=files(), reopen=files)["issues"]
    assert [first["source_url"], second["source_url"]] == [own.url, other.url]
    assert "fixed in 0.15.1, you run 0.14.2" in first["why"]
    assert "your set-up is of its kind: zero_stage is 3" in first["why"]
    assert "your set-up is not of its kind: zero_stage is 3" in second["why"]
