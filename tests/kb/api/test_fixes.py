"""What the API says about fixes."""

import datetime as dt

import pytest

from tests.kb.api.conftest import Reader
from tests.support.factories import make_fix, make_issue

pytestmark = pytest.mark.django_db


def test_a_fix_names_the_issues_it_closed(read: Reader) -> None:
    issue = make_issue(1)
    issue.fixes.add(make_fix(4966, merged_on=dt.date(2024, 2, 1)))
    (fix,) = read("fixes/", framework="deepspeed", merged_after="2024-01-01")["results"]
    assert [one["id"] for one in fix["issues"]] == [issue.pk]
    assert read(f"fixes/{fix['id']}/") == fix


def test_newest_come_first_and_undated_last(read: Reader) -> None:
    make_fix(1)
    make_fix(2, merged_on=dt.date(2023, 1, 1))
    make_fix(3, merged_on=dt.date(2024, 1, 1))
    assert [fix["url"][-1] for fix in read("fixes/")["results"]] == ["3", "2", "1"]


def test_a_fix_of_two_issues_is_listed_once(read: Reader) -> None:
    fix = make_fix()
    for issue in (make_issue(1), make_issue(2)):
        issue.fixes.add(fix)
    assert read("fixes/", framework="deepspeed")["count"] == 1


def test_a_wrong_date_is_refused(read: Reader) -> None:
    assert read("fixes/", merged_after="May", expect=400)["errors"][0]["parameter"] == "merged_after"
