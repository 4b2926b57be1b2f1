"""Every CSV that the product sends, fetched while what people named and wrote is a formula.

Whoever writes another one says here how it is fetched (`WAYS`).
"""

import ast
import io
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from ingest.imports.report import open_report
from ingest.rejections import Reason, Rejection
from kb.charts.catalogue import CHARTS
from kb.charts.samples import SMALL
from kb.exports.tables import csv_lines, harmless
from kb.models import MissedSearch, Node
from labeling.ballots import as_kept, content_of
from labeling.exchange import intake as importing
from labeling.exchange import item_intake, readers
from labeling.exchange.values import Options
from labeling.models import Decision, Member, Repeat, VoteImport
from labeling.services.decisions import accept
from labeling.services.publication_requests import ask_for_publication
from tests.contracts.test_csv import HOSTILE, cells_of, modules, runs
from tests.kb.web.test_study_compare import make_counted
from tests.labeling.factories import make_ballot
from tests.labeling.open_coding import coding_round
from tests.labeling.permissions.routes import all_routes
from tests.labeling.results.builders import make_curator
from tests.labeling.results.test_releases import make
from tests.labeling.test_settling import Conflict
from tests.support.factories import make_axis, make_history, make_issue, make_label, make_node, make_study

pytestmark = [pytest.mark.contract, pytest.mark.django_db]


@dataclass(frozen=True)
class World:
    """Who looks, and at which project's settled round; `folder` for files of commands."""

    client: Client
    conflict: Conflict
    folder: Path

    def get(self, name: str, *args: object, **query: str) -> bytes:
        """What an address answers."""
        return body(self.client.get(reverse(name, args=args), query))

    @property
    def project(self) -> str:
        """Its short name."""
        return self.conflict.round.project.slug


def body(response: HttpResponseBase) -> bytes:
    assert response.status_code == 200
    if isinstance(response, StreamingHttpResponse):
        return response.getvalue()
    assert isinstance(response, HttpResponse)
    return response.content


def charts(world: World) -> Iterator[bytes]:
    for chart in CHARTS:
        yield world.get("chart", chart.slug, format="csv")


def exports(world: World) -> Iterator[bytes]:
    for format_ in ("long_csv", "wide_csv"):
        yield world.get("labeling:export", world.project, format_)


def release(world: World) -> Iterator[bytes]:
    make(world.conflict.lead)
    archive = world.get("labeling:release-file", world.project, 1)
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        yield from (opened.read(name) for name in opened.namelist() if name.endswith(".csv"))


def rejected(world: World) -> Iterator[bytes]:
    text = "".join(csv_lines([("issue", "annotator", "axis", "nodes"), (HOSTILE, "a", "b", "c")]))
    importing.keep_file(
        lead=world.conflict.lead, content=text.encode(), filename="votes.csv", format_="long_csv", name="Outside",
        options=Options(),
    )  # fmt: skip
    yield world.get("labeling:import-rejected", world.project, VoteImport.objects.get().pk)


def releases(world: World) -> Iterator[bytes]:
    make_history("0.15.0")
    yield world.get("package", "deepspeed", format="csv")


def report(world: World) -> Iterator[bytes]:
    path = world.folder / "report.csv"
    with open_report(path) as written:
        written.write(file="votes.csv", rejection=Rejection(1, Reason.BLANK, "It is blank", HOSTILE))
    yield path.read_bytes()


def publication(world: World) -> Iterator[bytes]:
    """A curator reads what a project asks to publish."""
    asked = ask_for_publication(lead=world.conflict.lead)
    curator = Client()
    curator.force_login(make_curator())
    yield body(curator.get(reverse("labeling:oversight-answers", args=[asked.pk]), {"change": "all"}))


# Module that writes -> what it writes, as it is fetched.
def wanted(world: World) -> Iterator[bytes]:
    """What visitors searched for is theirs to write."""
    MissedSearch.objects.create(words=HOSTILE, first_on="2026-01-02", last_on="2026-01-02")
    editor = Client()
    editor.force_login(User.objects.create_superuser("rae"))
    yield body(editor.get(reverse("wanted-csv")))


def claims(world: World) -> Iterator[bytes]:
    """What ships is of one study that is loaded."""
    make_study("p1-distributed-frameworks", code="P1")
    yield world.get("study-claims-csv")


def audit_log(world: World) -> Iterator[bytes]:
    """The first annotator goes by the pseudonym."""
    Member.objects.filter(pk=world.conflict.first.pk).update(is_pseudonymous=True)
    yield world.get("labeling:log", world.project, format="csv")


def own_items(world: World) -> Iterator[bytes]:
    """A project's own items, whose titles are its lead's to write."""
    content = "".join(csv_lines([("id", "title"), ("1", HOSTILE)])).encode()
    file, _ = item_intake.keep_file(lead=world.conflict.lead, content=content, filename="items.csv")
    item_intake.take_file_in(lead=world.conflict.lead, file=file)
    yield world.get("labeling:items-export", world.project, "csv")


def rejected_items(world: World) -> Iterator[bytes]:
    """Their reasons begin with words of ours."""
    content = "".join(csv_lines([("id", "title"), ("", HOSTILE)])).encode()
    file, _ = item_intake.keep_file(lead=world.conflict.lead, content=content, filename="items.csv")
    yield world.get("labeling:items-rejected", world.project, file.pk)


def rejected_answers(world: World) -> Iterator[bytes]:
    """Lines of a model's file that cannot be used."""
    content = "".join(csv_lines([("issue", "axis", "nodes"), (HOSTILE, "symptom", "hang")])).encode()
    reader, _ = readers.keep_file(
        lead=world.conflict.lead, round_=world.conflict.round, content=content, filename="a.csv", format_="long_csv",
        about=readers.About("Model"),
    )  # fmt: skip
    yield world.get("labeling:reader-rejected", world.project, 1, reader.pk)


def quality(world: World) -> Iterator[bytes]:
    """The first annotator goes by the pseudonym, and met the issue again."""
    first = world.conflict.first
    Member.objects.filter(pk=first.pk).update(is_pseudonymous=True)
    content = content_of(as_kept(make_ballot()))
    Repeat.objects.create(vote=first.votes.get(), due_after=1, content=content, submitted_at=timezone.now())
    yield world.get("labeling:quality-table", world.project, 1)


def open_codes(world: World) -> Iterator[bytes]:
    """Codes of another project, whose lead reads them."""
    lead, _ = coding_round(((HOSTILE, HOSTILE),))
    browser = Client()
    browser.force_login(lead.user)
    yield body(browser.get(reverse("labeling:coding-csv", args=[lead.project.slug])))


WAYS: dict[str, Callable[[World], Iterator[bytes]]] = {
    "kb/web/explore/audit.py": lambda world: iter(
        [world.get("audit", f"round-{world.project}-1", axis="symptom", format="csv")]
    ),
    "kb/web/explore/charts.py": charts,
    "kb/web/explore/compare.py": lambda world: iter([world.get("study-compare", a="one", b="two", format="csv")]),
    "kb/web/explore/given.py": lambda world: iter([world.get("given", symptom="hang", format="csv")]),
    "kb/web/explore/side_by_side.py": lambda world: iter(
        [world.get("compare", by="year", side="2023,2024", format="csv")]
    ),
    "kb/web/explore/priorities.py": lambda world: iter([world.get("priorities-csv")]),
    "kb/web/claims.py": claims,
    "kb/web/quality/page.py": lambda world: iter([world.get("quality", format="csv")]),
    "kb/web/releases.py": releases,
    "kb/web/wanted.py": wanted,
    "kb/web/studies.py": lambda world: iter([world.get("study-table-csv", "one", "symptoms")]),
    "labeling/exchange/items.py": own_items,
    "labeling/exchange/serialize.py": exports,
    "labeling/web/coding/results.py": open_codes,
    "labeling/web/results/quality.py": quality,
    "labeling/web/setup/items.py": rejected_items,
    "labeling/web/setup/readers.py": rejected_answers,
    "labeling/web/audit.py": audit_log,
    "labeling/releases/tables.py": release,
    "labeling/web/results/agreement.py": lambda world: iter(
        [world.get("labeling:agreement-matrix", world.project, 1, axis="symptom")]
    ),
    "labeling/web/results/exchange.py": rejected,
    "labeling/web/review.py": publication,
    "ingest/imports/report.py": report,
}
# These hold nothing that people name or write: an audit says numbers of annotators whom it numbers, too; releases are
# named by their versions, which are normalised; claims and our own measures stand in files of ours; reasons why items
# are rejected begin with words of ours.
NOTHING_OF_PEOPLE = {
    "kb/web/explore/audit.py",
    "kb/web/quality/page.py",
    "kb/web/releases.py",
    "kb/web/claims.py",
    "labeling/web/setup/items.py",
}
# What writes a CSV, by module; who calls the second one writes it by the first.
WRITERS = {
    "kb.exports.tables": {"as_csv", "csv_lines"},
    "kb.web.explore.files": {"csv_file", "csv_lines_file"},
}


@pytest.fixture
def world(client: Client, tmp_path: Path) -> World:
    conflict = Conflict()
    Member.objects.filter(pk=conflict.first.pk).update(pseudonym=HOSTILE)
    accept(lead=conflict.lead, round_=conflict.round, how=Decision.How.UNANIMOUS)
    conflict.opine()
    conflict.adjudicate(reason=HOSTILE)
    for year in (2023, 2024):
        for _ in range(SMALL):
            make_label(make_issue(opened_at=f"{year}-05-01T00:00Z"), Node.objects.house().get(code="hang"))
    issue = make_issue(opened_at="2024-05-01T00:00Z")
    make_label(issue, Node.objects.house().get(code="hang"))
    make_label(issue, make_node("race", axis=make_axis("root_cause")))
    for slug in ("one", "two"):
        make_counted(slug, {"hang": (5, "hang exact")})
    for code in ("A.1", "C.1"):
        make_node(code, axis=make_axis("theme"))
    Node.objects.update(name=HOSTILE)
    client.force_login(conflict.lead.user)
    return World(client, conflict, tmp_path)


def test_every_module_that_writes_one_is_tried_here() -> None:
    def writes(tree: ast.Module) -> bool:
        imported: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module in WRITERS:
                imported |= WRITERS[node.module] & {one.name for one in node.names}
        return bool(imported)

    passing_on = {"kb/web/explore/files.py"}
    assert {path for path, tree in modules() if writes(tree)} == set(WAYS) | passing_on


def test_every_address_that_ends_so_is_tried_here() -> None:
    found = {route.name for route in all_routes() if route.pattern.endswith(".csv")}
    tried = {
        "study-table-csv", "study-claims-csv", "priorities-csv", "wanted-csv", "labeling:agreement-matrix",
        "labeling:import-rejected", "labeling:oversight-answers", "labeling:coding-csv", "labeling:quality-table",
        "labeling:items-rejected", "labeling:reader-rejected",
        # Ids and dates alone.
        "dump-modified",
    }  # fmt: skip
    assert found == tried


@pytest.mark.parametrize("module", WAYS)
def test_no_cell_of_it_is_a_formula(world: World, module: str) -> None:
    cells = [cell for content in WAYS[module](world) for cell in cells_of(content)]
    assert cells
    assert [cell for cell in cells if runs(cell)] == []
    if module not in NOTHING_OF_PEOPLE:
        assert [cell for cell in cells if HOSTILE in cell and cell.startswith("'")]
    assert harmless(HOSTILE) == f"'{HOSTILE}"
