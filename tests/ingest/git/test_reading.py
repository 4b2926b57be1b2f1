"""Reading a history into tables: facts of fixes, ranges, links, and what happens when it is read again."""

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from ingest.services import history as reading
from ingest.services.history import read_repository
from kb.models import AffectedRange, Change, ClosingReference, Fix, History, Issue, Release, Repository, State
from kb.services import histories
from kb.services.affected import follow_history
from kb.services.histories import follow_changes
from kb.services.issues import save_fixes
from kb.services.locks import try_lock, unlock
from kb.services.mirror_details import IssueDetails, write_details
from tests.ingest.git.made import Made
from tests.support.factories import make_issue, make_repository

pytestmark = pytest.mark.django_db

PULL = "https://github.com/acme/rocket/pull/12"


@pytest.fixture
def rocket() -> Repository:
    """The repository as we know it."""
    return make_repository("acme/rocket")


@pytest.fixture
def issue(rocket: Repository) -> Issue:
    """An issue with a linked fix of which nothing else is known."""
    issue = make_issue(7, repository=rocket)
    issue.fixes.add(Fix.objects.create(url=PULL, kind=Fix.Kind.PULL_REQUEST))
    return issue


@pytest.fixture
def fixed(made: Made) -> Made:
    """Fixed in 1.1.0."""
    made.commit("Fix the pump (#12)", pump_py="a\nb\n")
    made.tag("v1.1.0")
    return made


def read(rocket: Repository, made: Made) -> reading.ReadReport:
    made.run("symbolic-ref", "HEAD", "refs/heads/main")
    return read_repository(repository=rocket, source=str(made.folder))


def bounds(issue: Issue) -> list[tuple[str, str, str]]:
    rows = AffectedRange.objects.filter(issue=issue, origin="history").order_by("pk")
    return [(row.package, row.introduced, row.fixed) for row in rows]


def test_fix_has_day_size_and_range_from_git(rocket: Repository, issue: Issue, fixed: Made) -> None:
    report = read(rocket, fixed)
    assert (report.changes, report.releases, report.fixes, report.ranges) == (1, 2, 1, 1)
    fix = Fix.objects.get()
    change = Change.objects.get()
    assert (fix.commit, fix.merged_on) == (change.commit, change.merged_at.date())
    assert (fix.additions, fix.deletions, fix.files_changed, fix.is_small) == (2, 0, 1, True)
    row = AffectedRange.objects.get()
    assert (row.issue, row.package, row.introduced, row.fixed) == (issue, "acme/rocket", "", "1.1.0")
    assert (row.fixed_by, row.fixed_evidence, row.origin) == ("git", PULL, "history")
    assert list(Release.objects.values_list("version", "position")) == [("1.0.0", 0), ("1.1.0", 1)]


def test_nothing_new_reads_nothing(rocket: Repository, issue: Issue, fixed: Made) -> None:
    read(rocket, fixed)
    assert not read(rocket, fixed).is_new
    other = make_issue(8, repository=rocket)
    other.fixes.add(Fix.objects.create(url="https://github.com/acme/rocket/pull/99", kind="pull_request"))
    assert read(rocket, fixed).is_new
    assert not read(rocket, fixed).is_new


def test_only_new_commits_are_counted(rocket: Repository, issue: Issue, fixed: Made) -> None:
    assert read(rocket, fixed).counted == 1
    fixed.commit("Another (#13)")
    fixed.tag("v1.2.0")
    report = read(rocket, fixed)
    assert (report.counted, report.changes) == (1, 2)
    assert Change.objects.get(pull_number=12).additions == 2


def test_history_that_was_rewritten_is_followed(rocket: Repository, issue: Issue, fixed: Made) -> None:
    save_fixes(wanted={PULL: {"merged_on": dt.date(2020, 1, 1)}})
    read(rocket, fixed)
    fixed.run("reset", "-q", "--hard", "v1.0.0")
    fixed.run("tag", "-d", "v1.1.0")
    read(rocket, fixed)
    fix = Fix.objects.get()
    assert (fix.commit, fix.additions, str(fix.merged_on), fix.stated) == ("", None, "2020-01-01", {})
    assert not Change.objects.exists()
    assert not AffectedRange.objects.exists()


def test_a_killed_run_is_gone_on_with(
    rocket: Repository, issue: Issue, fixed: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20, 26):
        fixed.commit(f"Change (#{number})")
    monkeypatch.setattr(reading, "BATCH", 2)

    class KilledError(Exception):
        """Stands for a killed process."""

    saved = histories.save_changes
    written: list[int] = []

    def dies(**values: object) -> None:
        if len(written) == 3:
            raise KilledError
        written.append(1)
        saved(**values)  # type: ignore[arg-type]

    monkeypatch.setattr(histories, "save_changes", dies)
    with pytest.raises(KilledError):
        read(rocket, fixed)
    kept = Change.objects.count()
    assert kept == 4
    assert not History.objects.exists()
    monkeypatch.setattr(histories, "save_changes", saved)
    assert read(rocket, fixed).counted == 7 - kept


def test_record_and_host_do_not_overwrite_git(rocket: Repository, issue: Issue, fixed: Made) -> None:
    read(rocket, fixed)
    before = Fix.objects.get()
    save_fixes(
        wanted={PULL: {"description": "Holds.", "merged_on": dt.date(2020, 1, 1), "additions": 9, "deletions": 9}}
    )
    Issue.objects.update(state=State.CLOSED)
    write_details(
        details=[
            IssueDetails(
                issue.pk,
                [],
                [
                    {"url": PULL, "kind": "pull_request", "state": "merged", "additions": 5, "deletions": 5,
                     "files_changed": 5, "merged_at": "2021-01-01T00:00:00Z"}
                ],
            )
        ]
    )  # fmt: skip
    fix = Fix.objects.get()
    assert fix.description == "Holds."
    for name in ("commit", "merged_on", "additions", "deletions", "files_changed"):
        assert getattr(fix, name) == getattr(before, name), name
    assert fix.stated == {"merged_on": "2020-01-01", "additions": 9, "deletions": 9}


def test_what_was_stated_before_is_kept_beside(rocket: Repository, issue: Issue, fixed: Made) -> None:
    save_fixes(wanted={PULL: {"merged_on": dt.date(2020, 1, 1), "additions": 9, "deletions": 9}})
    read(rocket, fixed)
    assert Fix.objects.get().stated == {"merged_on": "2020-01-01", "additions": 9, "deletions": 9}


def test_commit_by_its_beginning_and_under_an_old_name(rocket: Repository, made: Made) -> None:
    rocket.aliases.create(host="github.com", full_name="old/rocket")
    commit = made.commit("Hold the pump", pump_py="a\n")
    made.tag("v1.1.0")
    issue = make_issue(8, repository=rocket)
    issue.fixes.add(Fix.objects.create(url=f"https://github.com/old/rocket/commit/{commit[:8]}", kind="commit"))
    read(rocket, made)
    assert bounds(issue) == [("acme/rocket", "", "1.1.0")]


def test_issue_with_two_fixes_is_fixed_with_the_second(rocket: Repository, issue: Issue, fixed: Made) -> None:
    fixed.commit("The rest (#13)")
    fixed.tag("v1.2.0")
    issue.fixes.add(Fix.objects.create(url="https://github.com/acme/rocket/pull/13", kind="pull_request"))
    read(rocket, fixed)
    assert bounds(issue) == [("acme/rocket", "", "1.2.0")]


def test_part_of_a_larger_change_has_its_release_alone(rocket: Repository, issue: Issue, made: Made) -> None:
    save_fixes(wanted={PULL: {"additions": 1, "deletions": 0}})
    made.commit("New pumps (#20)\n\n* Fix the pump (#12)", engine_py="another\n")
    made.tag("v1.1.0")
    read(rocket, made)
    fix = Fix.objects.get()
    assert (fix.commit, fix.additions, fix.merged_on) == (Change.objects.get().commit, 1, None)
    assert [(row.introduced_oldest, row.fixed) for row in AffectedRange.objects.all()] == [("", "1.1.0")]


def test_fix_of_a_release_branch_alone_counts_there(rocket: Repository, issue: Issue, made: Made) -> None:
    made.commit("Fix the pump (#12)", pump_py="a\n")
    made.switch("release", "v1.0.0")
    made.commit("Prepare 1.0.1 with the pump (#13)", spare_py="a\n")
    made.tag("v1.0.1")
    made.switch("main")
    made.tag("v1.1.0")
    issue.fixes.add(Fix.objects.create(url="https://github.com/acme/rocket/pull/13", kind="pull_request"))
    read(rocket, made)
    assert bounds(issue) == [("acme/rocket", "", "1.0.1")]


def test_backports_make_several_ranges(rocket: Repository, issue: Issue, made: Made) -> None:
    made.commit("On")
    made.tag("v1.1.0")
    fix = made.commit("Fix the pump (#12)", pump_py="a\n")
    made.tag("v1.2.0")
    made.switch("release", "v1.0.0")
    made.pick(fix)
    made.tag("v1.0.1")
    read(rocket, made)
    assert bounds(issue) == [("acme/rocket", "", "1.0.1"), ("acme/rocket", "1.1.0", "1.2.0")]


def test_reverted_fix_leaves_later_releases_affected(rocket: Repository, issue: Issue, fixed: Made) -> None:
    revert = fixed.revert(fixed.head())
    fixed.tag("v1.2.0")
    read(rocket, fixed)
    assert bounds(issue) == [("acme/rocket", "", "1.1.0"), ("acme/rocket", "1.2.0", "")]
    assert AffectedRange.objects.get(introduced="1.2.0").introduced_evidence.endswith(revert)


def test_unreleased_fix_makes_no_range(rocket: Repository, issue: Issue, made: Made) -> None:
    made.commit("Fix the pump (#12)")
    read(rocket, made)
    assert Fix.objects.get().commit
    assert bounds(issue) == []


def test_ranges_of_records_stay(rocket: Repository, issue: Issue, fixed: Made) -> None:
    AffectedRange.objects.create(issue=issue, origin="record", package="acme/rocket", introduced="0.9.0", fixed="1.0.5")
    read(rocket, fixed)
    before = list(AffectedRange.objects.order_by("pk").values())
    assert [(row["origin"], row["introduced"], row["fixed"]) for row in before] == [
        ("record", "0.9.0", "1.0.5"),
        ("history", "", "1.1.0"),
    ]
    follow_history(repository=rocket, changes=histories.changes_by_fix(rocket))
    assert list(AffectedRange.objects.order_by("pk").values()) == before


def test_closed_issue_that_nobody_linked_is_linked(rocket: Repository, made: Made) -> None:
    closed = make_issue(7, repository=rocket, state=State.CLOSED, kind="issue")
    still_open = make_issue(8, repository=rocket, state=State.OPEN, kind="issue")
    described = make_issue(9, repository=rocket, state=State.CLOSED, kind="issue", read_on=dt.date(2024, 1, 1))
    made.commit("Hold (#12)\n\nFixes #7, fixes #8, fixes #9", pump_py="a\n")
    made.tag("v1.1.0")
    assert read(rocket, made).links == 1
    assert [fix.url for fix in closed.fixes.all()] == [PULL]
    assert not still_open.fixes.exists()
    assert not described.fixes.exists()
    assert closed.fixes.get().additions == 1
    assert bounds(closed) == [("acme/rocket", "", "1.1.0")]
    assert not ClosingReference.objects.exists()


def test_follow_changes_alone_changes_nothing_twice(rocket: Repository, issue: Issue, fixed: Made) -> None:
    read(rocket, fixed)
    assert follow_changes(repository=rocket, changes=histories.changes_by_fix(rocket)) == 0


@pytest.fixture
def altered(made: Made) -> Made:
    """A line of 1.1.0 is corrected in 1.3.0."""
    made.commit("Pump (#10)", pump_py="rate = 1\n")
    made.tag("v1.1.0")
    made.commit("On (#11)")
    made.tag("v1.2.0")
    made.commit("Fix the pump (#12)", pump_py="rate = 2\n")
    made.tag("v1.3.0")
    return made


def test_lines_give_a_beginning(rocket: Repository, issue: Issue, altered: Made) -> None:
    read(rocket, altered)
    row = AffectedRange.objects.get()
    assert (row.introduced_oldest, row.introduced, row.introduced_by) == ("1.1.0", "1.1.0", "lines")
    assert (row.introduced_evidence, row.fixed) == (PULL, "1.3.0")


def test_lines_that_are_younger_than_a_backport(rocket: Repository, issue: Issue, made: Made) -> None:
    """1.0.1 has the fix before 1.1.0 begins without it, and the lines at fault came with 1.2.0."""
    made.tag("v1.1.0")
    made.commit("Pump (#10)", pump_py="rate = 1\n")
    made.tag("v1.2.0")
    made.commit("Fix the pump (#12)", pump_py="rate = 2\n")
    made.tag("v1.3.0")
    made.switch("release", "v1.0.0")
    made.commit("Fix the pump (#12) (#13)", spare_py="rate = 2\n")
    made.tag("v1.0.1")
    read(rocket, made)
    assert bounds(issue) == [("acme/rocket", "", "1.0.1"), ("acme/rocket", "1.2.0", "1.3.0")]
    assert [row.introduced_oldest for row in AffectedRange.objects.order_by("pk")] == ["1.0.1", "1.2.0"]


def test_lines_younger_than_every_release_leave_none_affected(rocket: Repository, issue: Issue, made: Made) -> None:
    made.commit("Pump (#10)", pump_py="rate = 1\n")
    made.commit("Fix the pump (#12)", pump_py="rate = 2\n")
    made.tag("v1.1.0")
    read(rocket, made)
    row = AffectedRange.objects.get()
    assert (row.introduced_oldest, row.introduced, row.fixed) == ("1.1.0", "", "1.1.0")


@pytest.fixture
def _held(rocket: Repository) -> Iterator[None]:
    """Another session reads this history."""
    from django.db import connections

    other = connections["default"].copy()
    with other.cursor() as cursor:
        assert try_lock(cursor, ("history", str(rocket.pk)))
        yield
        unlock(cursor, ("history", str(rocket.pk)))
    other.close()


@pytest.mark.usefixtures("_held")
def test_one_writer_for_each_repository(rocket: Repository, fixed: Made) -> None:
    with pytest.raises(CommandError, match="Another process"):
        call_command("read_history", "acme/rocket", "--from", str(fixed.folder))


@pytest.mark.parametrize(
    ("name", "source", "message"),
    [
        ("acme/unknown", ".", "Unknown repository"),
        ("acme/rocket", "/nowhere", "no folder"),
        ("acme/rocket", "ext::sh", "neither a folder nor"),
        ("acme", ".", "names no repository"),
    ],
)
@pytest.mark.usefixtures("rocket")
def test_command_says_what_is_wrong(name: str, source: str, message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("read_history", name, "--from", source)


def test_command_tells_what_it_read(
    rocket: Repository, issue: Issue, fixed: Made, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    bare = tmp_path / "bare.git"
    fixed.run("clone", "-q", "--bare", str(fixed.folder), str(bare))
    call_command("read_history", "acme/rocket", "--from", str(bare))
    call_command("read_history", "https://github.com/acme/rocket", "--from", str(bare))
    told = capsys.readouterr().out
    assert "2 commits, 2 releases, 1 changes" in told
    assert "nothing new" in told
