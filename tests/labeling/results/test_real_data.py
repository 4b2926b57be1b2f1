"""Published kappas from the published votes, taken in as a lead would take them in, and shown on the agreement page."""

import csv
import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

import kb.codebook
from kb.codebook.tables import read_tables
from kb.models import Issue, Kind
from labeling.exchange import intake as importing
from labeling.exchange.values import Options
from labeling.models import Decision, Member, Round
from labeling.selectors.axes import scheme_questions, study_scheme
from labeling.services.codebooks import adopt_axes
from labeling.services.decisions import accept
from labeling.services.people import found_project
from labeling.services.projects import start_project
from tests.labeling.factories import make_founder
from tests.labeling.results.test_exchange import take_in
from tests.support.factories import make_axis, make_node, make_repository

DATA = Path(__file__).parents[4] / "shared" / "data"
pytestmark = [
    pytest.mark.django_db, pytest.mark.real_data, pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data"),
]  # fmt: skip
STUDY = "p5-llm-challenges"
TABLES = Path(kb.codebook.__file__).parent / "studies" / "tables" / "p5.yaml"


def hold(urls: Iterator[str]) -> None:
    """Have an issue at each of these addresses."""
    repository = make_repository()
    Issue.objects.bulk_create(
        Issue(repository=repository, ref=str(number), url=url, kind=Kind.ISSUE)
        for number, url in enumerate(dict.fromkeys(urls), start=1)
    )


def project(axis: str, nodes: dict[str, list[str]], urls: Iterator[str]) -> Member:
    """A project that asks one question, over these issues."""
    hold(urls)
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


def study_project(urls: Iterator[str]) -> Member:
    """A project that labels with the scheme of the study on 38,742 reports, as its page offers; its issues are held."""
    hold(urls)
    scheme = study_scheme(slug=STUDY)
    assert scheme is not None
    return start_project(
        user=make_founder(),
        name="Replayed",
        question="Which theme?",
        axes=(),
        questions=scheme_questions(scheme=scheme),
    )


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


def themes(kind: str) -> dict[str, list[dict[str, str]]]:
    """Framework -> the rows of its file whose final theme is of this kind: A questions, B requirements, C bugs."""
    found = {}
    for file in sorted((DATA / "llm-challenges").glob("*.csv")):
        with file.open(encoding="utf-8-sig", newline="") as lines:
            name = file.stem.casefold().replace("colossalai", "colossal-ai")
            found[name] = [row for row in csv.DictReader(lines) if row["Final_Label"].strip().startswith(kind)]
    return found


def published_counts(kind: str) -> Counter[tuple[str, str]]:
    """(framework, theme) -> reports, as the study's table of themes has them."""
    (table,) = (one for one in read_tables(TABLES).tables if one.slug == "themes-by-project")
    counts: Counter[tuple[str, str]] = Counter()
    for theme, line in table.lines.items():
        if theme.startswith(kind):
            counts.update({(column, theme): cell for column, cell in zip(table.keys, line.cells, strict=True)})
    return counts


def replay(kind: str) -> tuple[Member, Round, int]:
    """The study's votes on one kind of reports, taken in and settled by majority: lead, round and rows rejected."""
    rows = [row for each in themes(kind).values() for row in each]
    lead = study_project(row["Issue_URL"] for row in rows)
    round_, rejected = taken_in(lead, "theme", rows, ("Final_Label",))
    accept(lead=lead, round_=round_, how=Decision.How.MAJORITY)
    return lead, round_, rejected


def check_replay(kind: str, kappa: str) -> None:
    """Agreement and table of a replayed study are its own, but for the issues that its files hold twice."""
    files = themes(kind)
    lead, round_, rejected = replay(kind)
    assert fleiss_on_page(lead, round_) == kappa
    framework = {row["Issue_URL"]: name for name, rows in files.items() for row in rows}
    twice: Counter[tuple[str, str]] = Counter()
    for name, rows in files.items():
        addresses = Counter(row["Issue_URL"] for row in rows)
        final = {row["Issue_URL"]: row["Final_Label"].strip() for row in rows}
        twice.update({(name, final[url]): number - 1 for url, number in addresses.items() if number > 1})
    # An issue has one vote of each person.
    assert rejected == 7 * twice.total()
    decided = Decision.objects.filter(item__round=round_, axis__code="theme").values_list(
        "item__issue__url", "versions__node__code"
    )
    assert Counter((framework[url], theme) for url, theme in decided) + twice == +published_counts(kind)


@pytest.mark.usefixtures("codebook")
def test_the_study_of_38_742_reports_replayed_on_its_questions() -> None:
    """`make bench` replays its requirements and bugs: their 267,000 votes take minutes."""
    check_replay("A", "0.757")


def test_silent_bugs_keras() -> None:
    with (DATA / "silent-bugs-keras" / "issues_voting.csv").open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines))
    lead = project("silent", {"yes": ["1.0"], "no": ["0.0"]}, (row["url"] for row in rows))
    round_, rejected = taken_in(lead, "silent", rows, ("title", "github_labels", "votes"))
    assert rejected == 0
    assert fleiss_on_page(lead, round_) == "0.701"
