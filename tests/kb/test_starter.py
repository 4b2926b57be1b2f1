"""The curated records: sound, covering, loaded without loss, written back as they were."""

import shutil
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.http import QueryDict

from kb.codebook.format import read_house, walk
from kb.codebook.load import HERE as CODEBOOK
from kb.core.frameworks import read_frameworks
from kb.models import CauseLink, Framework, Issue, Label, Repository, TwoReadings
from kb.search import search
from kb.starter.check import check_records
from kb.starter.claims import unlinked
from kb.starter.coverage import coverage, table
from kb.starter.export import export_starter
from kb.starter.format import Record
from kb.starter.lines import ISSUES, read_issues
from kb.starter.load import RECORDS, load_starter, read_records
from kb.starter.passes import read_passes
from tests.support.engines import PutIssuesIn

DISTRIBUTED = ("allocation", "communication", "distributed-tensor", "concurrency")
# Nodes of version 1.2 for which records are still being written.
AWAITED = {"train-serve-mismatch", "tuning-table"}


@pytest.fixture(scope="module")
def by_path() -> dict[Path, Record]:
    return {path.relative_to(RECORDS): record for path, record in read_records()[0]}


@pytest.fixture(scope="module")
def records(by_path: dict[Path, Record]) -> list[Record]:
    return list(by_path.values())


@pytest.fixture(scope="module")
def parents() -> dict[str, dict[str, str]]:
    """Axis -> node -> the node at the top of its branch."""
    house = read_house(CODEBOOK / "house.yaml")
    return {axis.code: {node.code: parent or node.code for node, parent in walk(axis.nodes)} for axis in house.axes}


class TestRecords:
    def test_all_are_sound(self) -> None:
        assert check_records(RECORDS, issues=list(read_issues(ISSUES))).problems == ()

    def test_they_cover_every_symptom_cause_fix_stage_and_component_as_far_as_they_should(
        self, records: list[Record]
    ) -> None:
        rows = coverage(records, read_house(CODEBOOK / "house.yaml"))
        lacking = {row.what for row in rows if row.axis and not row.is_met}
        assert lacking <= AWAITED, "\n".join(table(rows))

    def test_every_distributed_cause_has_a_record(
        self, records: list[Record], parents: dict[str, dict[str, str]]
    ) -> None:
        seen = {label.node for record in records for label in record.labels.root_cause}
        wanted = {code for code, top in parents["root_cause"].items() if top in DISTRIBUTED and code != top}
        assert wanted <= seen

    def test_at_least_480_have_had_their_two_passes(self, records: list[Record]) -> None:
        read_twice = {one.url for one in read_passes().values()}
        assert read_twice <= {record.url for record in records}
        assert len(read_twice) >= 480


@pytest.mark.django_db
class TestLoading:
    @pytest.mark.usefixtures("starter")
    def test_loading_twice_changes_nothing(self) -> None:
        held = TwoReadings.objects.in_bulk(field_name="issue_id")
        urls = Issue.objects.filter(pk__in=held).values_list("url", flat=True)
        assert set(urls) == {passes.url for passes in read_passes().values()}
        again = load_starter()
        assert again.rejections == ()
        assert again.records == Issue.objects.curated().count()
        assert (again.changes.created, again.changes.changed) == (0, 0)
        assert (again.labels.added, again.labels.removed) == (0, 0)

    def test_a_framework_without_records_comes_with_them(self, tmp_path: Path) -> None:
        listed = {framework.slug for framework in read_frameworks().frameworks}
        load_starter(tmp_path, tmp_path)
        assert listed <= set(Framework.objects.values_list("slug", flat=True))
        Repository.objects.filter(framework__slug="glow").delete()
        Framework.objects.get(slug="glow").delete()
        load_starter(tmp_path, tmp_path)
        assert Framework.objects.filter(slug="glow").exists()

    @pytest.mark.usefixtures("starter")
    def test_writing_back_gives_the_same_records(self, by_path: dict[Path, Record], tmp_path: Path) -> None:
        assert export_starter(tmp_path) == len(by_path)
        after = {path.relative_to(tmp_path): record for path, record in read_records(tmp_path)[0]}
        for path, record in by_path.items():
            assert _sorted(after[path]) == _sorted(record), path

    @pytest.mark.usefixtures("codebook")
    def test_the_command_loads_records_and_cause_links(self, tmp_path: Path) -> None:
        out = StringIO()
        shutil.copytree(RECORDS / "deepspeedai__deepspeed", tmp_path / "deepspeedai__deepspeed")
        call_command("load_starter", root=tmp_path, stdout=out)
        assert "records:" in out.getvalue()
        assert CauseLink.objects.filter(source__slug="curated").exists()

    @pytest.mark.usefixtures("starter")
    def test_a_hang_in_zero_3_is_found_with_cause_and_fix(self, put_issues_in: PutIssuesIn) -> None:
        put_issues_in()
        found = search(QueryDict("q=hang+in+ZeRO-3&framework=deepspeed"), limit=5, with_facets=False)
        assert found.is_close
        assert sum(row.card.fix is not None and row.card.causes != () for row in found.rows) >= 2


def _sorted(record: Record) -> dict[str, object]:
    """Labels of one axis and fixes have no order of their own."""
    values = record.model_dump()
    for axis, labels in values["labels"].items():
        values["labels"][axis] = sorted(labels, key=lambda label: label["node"])
    return values | {"fixes": sorted(values["fixes"], key=lambda fix: fix["url"])}


GOOD = """\
url: https://github.com/deepspeedai/DeepSpeed/issues/1
framework: deepspeed
title: Training stalls when ranks disagree
summary: Training stalls at the first step when one rank skips a branch that the others take, with no message.
resolution: not stated
workaround: not stated
state: open
labels:
  issue_type:
    - {node: bug, why: "It stops making progress."}
  symptom:
    - {node: hang, why: "It stops making progress."}
  component:
    - {node: collectives, why: "A collective never returns."}
read: {date: 2026-01-01, extent: description}
"""


@pytest.mark.usefixtures("codebook")
class TestRejections:
    @pytest.mark.parametrize(
        ("old", "new", "line", "reason"),
        [
            ("node: hang,", "node: explosion,", 12, "symptom: 'explosion' is not an active node"),
            ("state: open", "state: ajar", 7, "state is not one of: open, closed, unknown; it is 'ajar'"),
            ("resolution: not stated", "resolution: Fixed it.", 5, "resolution: names no source"),
            ("state: open", "state: open\ncolour: red", 8, "the file has an unknown key 'colour'"),
            (": deepspeed\n", ": nccl\n", 2, "framework is 'nccl', but the repository belongs to 'deepspeed'"),
            ("with no message", "in /home/ada/run.py", 4, "summary has 'ada', a user's name: remove it"),
            ("/issues/1", "/pull/1", 1, "write https://github.com/OWNER/NAME/issues/NUMBER"),
            ("title: Training", "title: [", 4, "not readable as YAML"),
            ("    - {node: hang, why: ", "    - {node: hang, because: ", 12, "labels.symptom.why is missing"),
        ],
    )
    def test_a_wrong_record_is_reported_with_its_line_and_the_others_are_loaded(
        self, tmp_path: Path, old: str, new: str, line: int, reason: str
    ) -> None:
        folder = tmp_path / "deepspeedai__deepspeed"
        folder.mkdir()
        (folder / "1.yaml").write_text(GOOD.replace(old, new))
        (folder / "2.yaml").write_text(GOOD.replace("/issues/1", "/issues/2"))
        report = load_starter(tmp_path, tmp_path / "no-passes")
        assert report.records == Label.objects.values("issue").distinct().count() == 1
        found = [(r.path.name, r.line, r.reason) for r in report.rejections]
        assert [text for name, at, text in found if (name, at) == ("1.yaml", line) and reason in text], found

    @pytest.mark.parametrize("is_known", [False, True])
    def test_of_two_files_for_one_issue_the_one_under_the_repositorys_old_name_is_rejected(
        self, tmp_path: Path, *, is_known: bool
    ) -> None:
        new, old = tmp_path / "deepspeedai__deepspeed/1.yaml", tmp_path / "microsoft__deepspeed/1.yaml"
        for path in (old, new):
            path.parent.mkdir()
        old.write_text(GOOD.replace("deepspeedai/", "microsoft/"))
        if is_known:
            assert load_starter(tmp_path, tmp_path / "no-passes").rejections == ()
        new.write_text(GOOD)
        report = load_starter(tmp_path, tmp_path / "no-passes")
        assert (report.records, Issue.objects.count()) == (1, 1)
        (rejected,) = report.rejections
        assert (rejected.path, rejected.line) == (old, 1)
        assert f"is the same issue as {new}, since the repository is now deepspeedai/DeepSpeed" in rejected.reason
        with pytest.raises(CommandError, match="keep one file"):
            call_command("load_starter", root=tmp_path, stdout=StringIO())

    def test_checking_names_the_line_of_an_unknown_code(self, tmp_path: Path) -> None:
        folder = tmp_path / "deepspeedai__deepspeed"
        folder.mkdir()
        (folder / "1.yaml").write_text(GOOD.replace("node: hang,", "node: explosion,"))
        assert [(problem.line, problem.path.name) for problem in check_records(tmp_path).problems] == [(12, "1.yaml")]

    def test_a_file_that_was_not_checked_is_never_fine(self, tmp_path: Path) -> None:
        (tmp_path / "1.yaml").write_text(GOOD)
        root = tmp_path / "records"
        for path in (tmp_path / "1.yaml", root / "no-such.yaml"):
            with pytest.raises(CommandError, match="cannot be checked"):
                call_command("check_records", str(path), root=root)

    def test_a_record_in_the_wrong_place_is_told_where_it_belongs(self, tmp_path: Path) -> None:
        (tmp_path / "1.yaml").write_text(GOOD)
        assert "belongs in deepspeedai__deepspeed/1.yaml" in str(read_records(tmp_path)[1][0])

    def test_the_command_fails_loudly_but_loads_what_is_good(self, tmp_path: Path) -> None:
        folder = tmp_path / "deepspeedai__deepspeed"
        folder.mkdir()
        (folder / "1.yaml").write_text(GOOD)
        (folder / "2.yaml").write_text("[]")
        with pytest.raises(CommandError, match=r"2\.yaml:1"):
            call_command("load_starter", root=tmp_path, stdout=StringIO())
        assert Issue.objects.count() == 1


class TestClaims:
    @pytest.mark.parametrize(
        ("old", "new", "reason"),
        [
            ("workaround: not stated", "workaround: Restart it.", "workaround: names no source; add evidence with"),
            ("resolution: not stated", "resolution: Upgrade.", "resolution: names no source"),
            ("read:", 'affects: [{package: torch, reported: ["2.1"]}]\nread:', "versions: names no source"),
            ("read:", "inferred: [workaround]\nread:", "inferred names workaround, and the record states none"),
        ],
    )
    def test_each_names_its_source_or_is_called_inferred(self, tmp_path: Path, old: str, new: str, reason: str) -> None:
        path, out = tmp_path / "deepspeedai__deepspeed/1.yaml", StringIO()
        path.parent.mkdir()
        path.write_text(text := GOOD.replace(old, new))
        with pytest.raises(CommandError, match=reason):
            call_command("check_records", str(path), root=tmp_path, issues=tmp_path)
        claim = {"workaround:": "workaround", "resolution:": "resolution"}.get(old.split(" ")[0], "versions")
        if "inferred" not in new:
            path.write_text(text + f"inferred: [{claim}]\n")
            call_command("check_records", str(path), root=tmp_path, issues=tmp_path, stdout=out)
            assert f"1 of 1 {claim}" in out.getvalue()

    def test_a_fix_is_the_link_of_a_resolution(self) -> None:
        assert unlinked(("cause", "resolution", "workaround"), ("workaround",), has_fix=True) == ["cause"]


class TestCommand:
    def test_records_are_checked_without_a_database(self, tmp_path: Path) -> None:
        """As `make lint` checks all of them."""
        path = tmp_path / "deepspeedai__deepspeed" / "1.yaml"
        path.parent.mkdir()
        path.write_text(GOOD)
        command = [
            sys.executable, "manage.py", "check_records", str(path), f"--root={tmp_path}", f"--issues={tmp_path}"
        ]  # fmt: skip
        env = {"SECRET_KEY": "x", "LOCAL": "1", "DATABASE_URL": "postgres://127.0.0.1:1/none", "PATH": "/usr/bin"}
        done = subprocess.run(command, env=env, capture_output=True, text=True, cwd=RECORDS.parents[2], check=False)
        assert (done.returncode, "1 record is fine" in done.stdout) == (0, True), done.stderr
