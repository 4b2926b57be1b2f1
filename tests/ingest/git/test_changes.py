"""How changes land, are picked and taken back, and which releases have them."""

import subprocess

import pytest

from tests.ingest.git.made import Made


def contained_in(made: Made, commit: str) -> set[str]:
    """What git itself says."""
    return set(made.run("tag", "--contains", commit).split())


def test_squash(made: Made) -> None:
    commit = made.commit("Fix the pump (#12)\n\nFixes #7, closes acme/tank#8")
    made.tag("v1.1.0")
    change = made.pull(12)
    assert (change.commit, change.first_releases, change.missing) == (commit, ("1.1.0",), ((None, "1.1.0"),))
    assert change.closes == ("https://github.com/acme/rocket/issues/7", "https://github.com/acme/tank/issues/8")
    assert change.is_fix
    assert contained_in(made, commit) == {"v1.1.0"}


def test_merge_has_the_whole_pull_request(made: Made) -> None:
    made.switch("pump", "main")
    made.commit("Half a pump", pump_py="a\n")
    inner = made.commit("The other half. Fixes #7", pump_py="a\nb\n")
    made.switch("main")
    made.commit("Meanwhile", other_py="x\n")
    merge = made.merge("pump", "Merge pull request #12 from someone/pump")
    made.tag("v1.1.0")
    history = made.read()
    (change,) = history.changes
    assert (change.commit, change.pull_number, change.first_releases) == (merge, 12, ("1.1.0",))
    assert change.closes == ("https://github.com/acme/rocket/issues/7",)
    ((_, size),) = history.sizes([merge])
    assert size is not None
    assert (size.files, size.additions, size.deletions) == (1, 2, 0)
    (asked,) = [change for change in made.read(commits=(inner[:9],)).changes if change.commit == inner]
    assert asked.merged_at == change.merged_at


def test_rebase_is_found_by_the_pull_request_that_the_clone_has(made: Made) -> None:
    made.switch("pump", "main")
    tip = made.commit("Make the pump hold", pump_py="a\n")
    made.switch("main")
    made.commit("Meanwhile", other_py="x\n")
    landed = made.pick(tip)
    made.run("update-ref", "refs/pull/12/head", tip)
    made.run("branch", "-D", "pump")
    made.tag("v1.1.0")
    change = made.pull(12)
    assert landed != tip
    assert (change.commit, change.first_releases) == (landed, ("1.1.0",))


def test_fast_forward_is_found_too(made: Made) -> None:
    tip = made.commit("Make the pump hold", pump_py="a\n")
    made.run("update-ref", "refs/pull/12/head", tip)
    assert made.pull(12).commit == tip


def test_pull_request_that_nobody_merged_is_no_change(made: Made) -> None:
    made.switch("pump", "main")
    made.run("update-ref", "refs/pull/12/head", made.commit("Fix the pump (#12)"))
    made.switch("main")
    assert made.read(pulls=(12,)).changes == []


@pytest.mark.parametrize("options", [(), ("-x",)])
def test_pick_counts_on_its_own_line(made: Made, options: tuple[str, ...]) -> None:
    made.commit("Feature (#11)")
    made.tag("v1.1.0")
    fix = made.commit("Fix the pump (#12)", pump_py="a\n")
    made.tag("v1.2.0")
    made.switch("release-1.1", "v1.1.0")
    picked = made.pick(fix, *options)
    made.tag("v1.1.1")
    change = made.pull(12)
    assert (change.commit, change.picks) == (fix, (picked,))
    assert change.first_releases == ("1.1.1", "1.2.0")
    assert change.missing == ((None, "1.1.1"),)
    assert contained_in(made, fix) | contained_in(made, picked) == {"v1.1.1", "v1.2.0"}


def test_backport_by_a_pull_request_after_the_next_line_began(made: Made) -> None:
    made.commit("Feature (#11)")
    made.tag("v1.1.0")
    made.commit("Feature (#13)")
    made.tag("v1.2.0")
    made.commit("Fix the pump (#14)")
    made.tag("v1.3.0")
    made.switch("release-1.1", "v1.1.0")
    made.commit("Fix the pump (#14) (#15)")
    made.tag("v1.1.1")
    change = made.pull(14)
    assert change.first_releases == ("1.1.1", "1.3.0")
    assert change.missing == ((None, "1.1.1"), ("1.2.0", "1.3.0"))
    assert made.pull(15).first_releases == ("1.1.1",)


@pytest.mark.parametrize(
    "title",
    ["cp: `fix: pump (14)` into `core_r1.1` (#15)", "cherry-pick: #14 (fix: pump) (#15)", "Pump (backport #14) (#15)"],
)
def test_robots_that_pick(made: Made, title: str) -> None:
    made.commit("fix: pump (#14)")
    made.tag("v1.2.0")
    made.switch("release-1.0", "v1.0.0")
    made.commit(title)
    made.tag("v1.0.1")
    assert made.pull(14).first_releases == ("1.0.1", "1.2.0")


def test_revert_ends_it(made: Made) -> None:
    fix = made.commit("Fix the pump (#12)", pump_py="a\n")
    made.tag("v1.1.0")
    revert = made.revert(fix)
    made.tag("v1.2.0")
    change = made.pull(12)
    assert change.reverted_by == revert
    assert (change.first_releases, change.missing) == (("1.1.0",), ((None, "1.1.0"), ("1.2.0", None)))


def test_revert_of_a_revert_lands_it_again(made: Made) -> None:
    fix = made.commit("Fix the pump (#12)", pump_py="a\n")
    made.tag("v1.1.0")
    revert = made.revert(fix)
    made.tag("v1.2.0")
    made.revert(revert)
    made.tag("v1.3.0")
    change = made.pull(12)
    assert change.reverted_by == ""
    assert change.missing == ((None, "1.1.0"), ("1.2.0", "1.3.0"))
    assert change.first_releases == ("1.1.0", "1.3.0")


@pytest.mark.parametrize(
    "message",
    [
        'Revert "Fix the pump (#12)" (#13)',
        "Take the pump away (#13)\n\nReverts acme/rocket#12",
        "Revert PR 12 (#13)",
        "revert: Revert #12 (#13)",
    ],
)
def test_reverts_by_pull_requests(made: Made, message: str) -> None:
    made.commit("Fix the pump (#12)")
    made.tag("v1.1.0")
    made.commit(message)
    made.tag("v1.2.0")
    change = made.pull(12)
    assert change.reverted_by == made.pull(13).commit
    made.commit('Reapply "Fix the pump (#12)" (#14)')
    made.tag("v1.3.0")
    assert made.pull(12).missing == ((None, "1.1.0"), ("1.2.0", "1.3.0"))


def test_revert_before_any_release(made: Made) -> None:
    made.revert(made.commit("Fix the pump (#12)", pump_py="a\n"))
    made.tag("v1.1.0")
    change = made.pull(12)
    assert (change.first_releases, change.missing) == ((), ((None, None),))


def test_revert_on_a_release_branch_alone(made: Made) -> None:
    fix = made.commit("Fix the pump (#12)", pump_py="a\n")
    made.switch("release-1.1", "main")
    made.revert(fix)
    made.tag("v1.1.0")
    made.switch("main")
    made.commit("On")
    made.tag("v1.2.0")
    change = made.pull(12)
    assert (change.reverted_by, change.first_releases, change.missing) == ("", ("1.2.0",), ((None, "1.2.0"),))


def test_tag_on_a_side_branch(made: Made) -> None:
    made.switch("side", "main")
    made.commit("Version 1.1.0")
    made.tag("v1.1.0")
    made.switch("main")
    made.commit("Fix the pump (#12)")
    made.switch("side2", "main")
    made.commit("Version 1.2.0")
    made.tag("v1.2.0")
    made.switch("main")
    assert made.pull(12).missing == ((None, "1.2.0"),)


def test_not_released(made: Made) -> None:
    made.commit("Fix the pump (#12)")
    change = made.pull(12)
    assert (change.first_releases, change.missing) == ((), ((None, None),))


def test_candidates_count_where_there_is_nothing_else(made: Made) -> None:
    made.commit("Fix the pump (#12)")
    made.tag("v1.1.0rc1")
    assert made.pull(12).first_releases == ("1.1.0rc1",)
    made.commit("On")
    made.tag("v1.1.0")
    assert made.pull(12).first_releases == ("1.1.0",)


def test_fix_on_a_release_branch_alone(made: Made) -> None:
    made.switch("release-1.0", "v1.0.0")
    commit = made.commit("Fix the pump (#12)")
    made.tag("v1.0.1")
    made.switch("main")
    made.commit("On")
    made.tag("v1.1.0")
    change = made.pull(12)
    assert (change.commit, change.missing) == (commit, ((None, "1.0.1"), ("1.1.0", None)))


def test_copies_on_branches_that_led_nowhere_are_no_picks(made: Made) -> None:
    fix = made.commit("Fix the pump (#12)", pump_py="a\n")
    made.switch("somebody", "v1.0.0")
    made.pick(fix)
    assert made.pull(12).picks == ()


def test_commit_that_closes_without_a_pull_request(made: Made) -> None:
    commit = made.commit("Hold the pump\n\nResolves: https://github.com/acme/rocket/issues/9")
    (change,) = made.read().changes
    assert (change.commit, change.pull_number) == (commit, None)
    assert change.closes == ("https://github.com/acme/rocket/issues/9",)


def test_sizes_are_those_of_git(made: Made) -> None:
    commits = [made.head()]
    commits.append(made.commit("Rename", engine_py="".join(f"line {n}\n" for n in range(20) if n != 3) + "end\n"))
    made.run("mv", "engine.py", "motor.py")
    commits.append(made.commit("Move (#3)", other_py="x\n"))
    commits.append(made.commit("Nothing at all (#4)", other_py="x\n"))
    commits.append(made.commit("Many (#5)", **{f"part{number}_py": "a\nb\n" for number in range(30)}))
    sizes = dict(made.read().sizes(commits))
    for commit in commits:
        shown = subprocess.run(
            ["git", "-C", made.folder, "show", "--numstat", "--format=", commit],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        counts = [line.split("\t")[:2] for line in shown.splitlines() if line]
        size = sizes[commit]
        assert size is not None
        assert size.files == len(counts)
        assert size.additions == sum(int(added) for added, _ in counts)
        assert size.deletions == sum(int(gone) for _, gone in counts)


def test_generated_and_vendored_files_are_not_counted(made: Made) -> None:
    names = ("uv.lock", "third_party/gemm.h", "docs/demo.ipynb", "web/app.min.js", "proto/a_pb2.py")
    for name in names:
        (made.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (made.folder / name).write_text("a\nb\n")
    commit = made.commit("Fix (#3)", pump_py="x\n")
    ((_, size),) = made.read().sizes([commit])
    assert size is not None
    assert (size.files, size.additions) == (1, 1)


def test_pull_request_that_landed_as_a_part_of_another(made: Made) -> None:
    made.commit("Known (#10)")
    made.commit("New pumps (#20)\n\n* Fix the pump (#12)\n\n* Known (#10)\n\n- Not a number (12)\n")
    made.tag("v1.1.0")
    assert made.pull(20).bundled == (12,)
