"""The audit of the real sets, from what the importers stored: it comes to what is known of them (studies.md, P5.6)."""

import time
from collections.abc import Iterator

import pytest
from django.test import Client

from ingest.selectors.panels import ImportedPanels
from kb.audit import Finding, Share, Table, Verdict, audit
from kb.audit.panels import Panel
from kb.audit.spread import spreads
from tests.ingest.small import needs_data
from tests.ingest.test_reproductions import Imported, imported, show

__all__ = ["imported"]
pytestmark = [needs_data, pytest.mark.real_data]

BIG = "p5-llm-challenges"
NEVER = {"DeepSpeed", "Megatron-LM", "PyTorch", "TensorFlow", "MindSpore"}
FLAT = {"MindNLP", "MindFormers", "MindSpeed"}


@pytest.fixture(scope="module")
def big(imported: Imported, django_db_blocker: pytest.FixtureRequest) -> Iterator[Panel]:
    with django_db_blocker.unblock():  # type: ignore[attr-defined]
        yield ImportedPanels().read_panel(reader=None, slug=BIG, axis="theme")


@pytest.fixture(scope="module")
def findings(big: Panel) -> dict[str, Finding]:
    return {one.about.key: one for one in audit(big)}


def table(one: Finding, title: str) -> Table:
    return next(found for found in one.tables if found.title.startswith(title))


def test_the_panel_is_whole(big: Panel) -> None:
    assert big.votes.shape == (38_742, 7)
    assert (big.votes >= 0).all()
    assert (big.finals >= 0).all()


def test_dissent_rises_column_by_column(findings: dict[str, Finding]) -> None:
    one = findings["dissent-by-column"]
    shares = [line.cells[0] for line in table(one, "Dissent by column").lines]
    assert [f"{100 * share.cases / share.of:.1f}" for share in shares if isinstance(share, Share)] == [
        "4.9", "7.6", "9.8", "11.8", "13.9", "15.3", "16.5",
    ]  # fmt: skip
    assert one.p == pytest.approx(2 / 5_040)
    assert one.verdict == Verdict.LOOK_CLOSER


def test_groups_are_of_the_known_two_shapes(findings: dict[str, Finding]) -> None:
    lines = table(findings["dissent-by-column"], "Dissent by column in").lines
    shapes = {line.name: line.cells[-1] for line in lines}
    assert {name for name, shape in shapes.items() if shape == "rises at every step, the first never dissents"} == NEVER
    assert {name for name, shape in shapes.items() if shape == "flat"} == FLAT
    for line in lines:
        last = line.cells[7]
        assert isinstance(last, Share)
        if line.name in NEVER:
            assert 0.149 < last.cases / last.of < 0.174
        if line.name in FLAT - {"MindSpeed"}:
            assert all(0.19 < c.cases / c.of < 0.23 for c in line.cells if isinstance(c, Share))


def test_the_first_column_is_the_final_label_in_five_projects(findings: dict[str, Finding]) -> None:
    one = findings["final-is-a-column"]
    assert one.verdict == Verdict.NOT_INDEPENDENT
    lines = table(one, "Columns that dissent less").lines
    assert {line.name for line in lines} == {f"Annotator 1, {name}" for name in NEVER}
    assert all(isinstance(line.cells[0], Share) and line.cells[0].cases == 0 for line in lines)


def test_dissenters_agree_like_dice(findings: dict[str, Finding]) -> None:
    one = findings["dissenters-agree"]
    assert one.verdict == Verdict.LOOK_CLOSER
    assert {line.name: line.cells for line in one.tables[0].lines} == {
        "A": (Share(12, 35), "33.3 %", 3),
        "B": (Share(365, 1_003), "33.3 %", 3),
        "C": (Share(497, 4_692), "11.1 %", 9),
    }


def test_dissent_is_spread_nearly_flat(big: Panel, findings: dict[str, Finding]) -> None:
    assert findings["spread-of-dissent"].verdict == Verdict.LOOK_CLOSER
    row = next(row for row in spreads(big) if row.answer == "C.1")
    assert dict(zip(row.siblings, row.votes, strict=True)) == {
        "C.2": 731, "C.3": 560, "C.4": 532, "C.5": 580, "C.6": 534, "C.7": 595, "C.8": 546, "C.9": 590, "C.10": 541,
    }  # fmt: skip


def test_no_item_has_more_than_three_dissents(findings: dict[str, Finding]) -> None:
    one = findings["dissents-per-item"]
    assert [line.cells[0] for line in table(one, "Items by number").lines] == [16_755, 14_190, 6_656, 1_141, 0, 0, 0, 0]
    assert one.verdict == Verdict.LOOK_CLOSER


def test_no_column_is_a_copy_of_another_and_order_is_no_sign(findings: dict[str, Finding]) -> None:
    for key in ("column-copies", "item-order", "prevalence"):
        assert findings[key].verdict == Verdict.FINE, key


def test_pull_requests_are_told_by_the_numbers_that_are_filled(findings: dict[str, Finding]) -> None:
    one = findings["pull-requests"]
    assert one.verdict == Verdict.LOOK_CLOSER
    filled = {line.name: line.cells[-1] for line in one.tables[0].lines}
    assert filled["DeepSpeed"] in {"94 %", "95 %"}
    assert "38,742 of 38,742 items are of unknown kind" in one.measured


def test_six_issues_are_repeated(findings: dict[str, Finding]) -> None:
    assert findings["repeats"].verdict == Verdict.FINE
    assert "6 of 38,742" in findings["repeats"].measured


@pytest.mark.usefixtures("imported", "db")
class TestTheOtherSets:
    VOTES = {
        "dissent-by-column", "final-is-a-column", "column-copies", "dissenters-agree", "spread-of-dissent",
        "dissents-per-item", "item-order", "prevalence",
    }  # fmt: skip

    @pytest.mark.parametrize(
        ("slug", "pulls", "repeats"),
        [
            ("open-llm-failures", Verdict.FINE, Verdict.LOOK_CLOSER),
            ("dl-compiler-bugs", Verdict.FINE, Verdict.LOOK_CLOSER),
        ],
    )
    def test_without_votes_only_the_data_is_judged(self, slug: str, pulls: Verdict, repeats: Verdict) -> None:
        one = ImportedPanels().find_set(reader=None, slug=slug)
        assert one is not None
        assert one.no_votes
        found = {
            f.about.key: f for f in audit(ImportedPanels().read_panel(reader=None, slug=slug, axis=one.axes[0][0]))
        }
        assert {key for key, f in found.items() if f.verdict == Verdict.CANNOT_TELL} == {
            *self.VOTES,
            "maintainers-labels",
        }
        assert all("without its annotators' votes" in found[key].said for key in self.VOTES)
        assert (found["pull-requests"].verdict, found["repeats"].verdict) == (pulls, repeats)

    def test_real_reviewers_are_not_accused_of_copying(self) -> None:
        panel = ImportedPanels().read_panel(reader=None, slug="silent-bugs-keras", axis="silent")
        found = {one.about.key: one for one in audit(panel)}
        assert found["prevalence"].verdict == Verdict.LOOK_CLOSER
        assert "Annotator 1 gives “SBK.yes” in all of the 95 items" in found["prevalence"].said.replace(
            "all of 95", "all of the 95"
        )
        told = {key: one.verdict for key, one in found.items() if key != "prevalence"}
        assert set(told.values()) == {Verdict.FINE, Verdict.CANNOT_TELL}
        assert told["item-order"] == Verdict.FINE


@pytest.mark.usefixtures("imported", "db")
def test_the_pages_of_the_real_sets(client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    began = time.perf_counter()
    response = client.get(f"/explore/audit/{BIG}")
    cold = time.perf_counter() - began
    with capsys.disabled():
        show(f"\nAudit of 38,742 x 7 votes: the page when nothing is kept takes {cold:.2f} s")
    assert response.status_code == 200
    body = client.get("/explore/audit/").content.decode()
    assert all(slug in body for slug in (BIG, "open-llm-failures", "dl-compiler-bugs", "silent-bugs-keras"))
