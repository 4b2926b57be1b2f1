"""Published kappas from the published votes, taken in as a lead would take them in, and shown on the agreement page."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from kb.models import Issue, Kind
from labeling.agreement import tabulate
from labeling.exchange import intake as importing
from labeling.exchange.validation import check
from labeling.exchange.values import Options
from labeling.models import Codebook, Member, Round
from labeling.services.codebooks import adopt_axes
from labeling.services.people import found_project
from tests.labeling.agreement.strategies import coefficient
from tests.labeling.factories import make_founder
from tests.labeling.results.test_exchange import take_in
from tests.support.factories import make_axis, make_node, make_repository

DATA = Path(__file__).parents[4] / "shared" / "data"
pytestmark = [
    pytest.mark.django_db, pytest.mark.real_data, pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data"),
]  # fmt: skip
THEMES = [f"A.{n}" for n in range(1, 5)] + [f"B.{n}" for n in range(1, 5)] + [f"C.{n}" for n in range(1, 11)]


def project(axis: str, nodes: dict[str, list[str]], urls: Iterator[str]) -> Member:
    """A project that asks one question, over these issues."""
    repository = make_repository()
    Issue.objects.bulk_create(
        Issue(repository=repository, ref=str(number), url=url, kind=Kind.ISSUE)
        for number, url in enumerate(dict.fromkeys(urls), start=1)
    )
    row = make_axis(axis)
    for code, aliases in nodes.items():
        make_node(code, axis=row, aliases=aliases)
    type(row).objects.filter(pk=row.pk).update(several=False)
    row.refresh_from_db()
    lead = found_project(user=make_founder(), slug=axis.replace("_", "-"), name="Study", question="What is it?")
    adopt_axes(lead=lead, axes=[row])
    return lead


def as_csv(rows: list[dict[str, str]]) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def of_kind(kind: str) -> tuple[list[dict[str, str]], Member]:
    """The issues whose final theme is of this kind, and a project that asks for the theme."""
    rows = [row for row in themes() if row["Final_Label"].strip().startswith(kind)]
    return rows, project("theme", {code: [] for code in THEMES}, (row["Issue_URL"] for row in rows))


def taken_in(lead: Member, axis: str, rows: list[dict[str, str]], leave_out: tuple[str, ...]) -> tuple[Round, int]:
    found, _ = importing.keep_file(
        lead=lead, content=as_csv(rows), filename="votes.csv", format_="wide_csv", name="As published",
        options=Options(axis, leave_out),
    )  # fmt: skip
    return take_in(lead, found), found.report["rejected"]


def fleiss_on_page(lead: Member, round_: Round) -> str:
    """What the page of the round says of Fleiss' kappa, in the table of all coefficients."""
    client = Client()
    client.force_login(lead.user)
    html = client.get(reverse("labeling:agreement", args=[lead.project.slug, round_.number])).content.decode()
    after = html.split("All coefficients", 1)[1].split("Fleiss&#x27; kappa", 1)[1]
    return after.split('<span class="number">', 1)[1].split("</span>", 1)[0]


def themes() -> list[dict[str, str]]:
    found = []
    for file in sorted((DATA / "llm-challenges").glob("*.csv")):
        with file.open(encoding="utf-8-sig", newline="") as lines:
            found += list(csv.DictReader(lines))
    return found


def test_llm_challenges_on_the_page() -> None:
    rows, lead = of_kind("A")
    round_, rejected = taken_in(lead, "theme", rows, ("Final_Label",))
    # Some issues stand in the files twice; an issue has one vote of each.
    twice = len(rows) - len({row["Issue_URL"] for row in rows})
    assert rejected == 7 * twice
    assert fleiss_on_page(lead, round_) == "0.757"


@pytest.mark.parametrize(("kind", "published"), [("B", 0.755), ("C", 0.717)])
def test_llm_challenges_as_a_file_is_read(kind: str, published: float) -> None:
    """The larger parts up to the last step: writing their 267,000 votes takes minutes."""
    rows, lead = of_kind(kind)
    plan = check(
        content=as_csv(rows), format_="wide_csv", options=Options("theme", ("Final_Label",)),
        codebook=Codebook.objects.get(project=lead.project),
    )  # fmt: skip
    said = (
        (issue, vote.annotator, frozenset(version.node.code for version in vote.answers["theme"].versions))
        for issue, votes in plan.votes.items()
        for vote in votes
    )
    kappa = coefficient(tabulate(said), "fleiss")
    assert kappa.value is not None
    assert round(kappa.value, 3) == published


def test_silent_bugs_keras() -> None:
    with (DATA / "silent-bugs-keras" / "issues_voting.csv").open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines))
    lead = project("silent", {"yes": ["1.0"], "no": ["0.0"]}, (row["url"] for row in rows))
    round_, rejected = taken_in(lead, "silent", rows, ("title", "github_labels", "votes"))
    assert rejected == 0
    assert fleiss_on_page(lead, round_) == "0.701"
