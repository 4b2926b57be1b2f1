"""The published numbers, from what the importers stored: paper versus ours, printed.

The numbers come from the papers and from `shared/facts/studies.md`; nothing here is read off the data sets.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django.plugin import DjangoDbBlocker

from ingest.models import AnnotatorVote, ImportedRow, ImportRejection
from kb.charts.study_comparison import compare_studies
from kb.charts.study_tables import study_tables
from kb.codebook.load import load_codebook
from kb.models import CauseLink, Issue, Label, Source, Study
from tests.ingest.row_counts import count_row_pairs, count_rows_by_node
from tests.ingest.row_votes import RowVotes, list_votes
from tests.ingest.small import DATA, command, needs_data, run_command

pytestmark = [needs_data, pytest.mark.real_data]

FACTS = DATA.parent / "facts" / "studies.md"
FRAMEWORKS = {
    "DeepSpeed": "deepspeed", "Megatron-LM": "megatron-lm", "ColossalAI": "colossal-ai", "vllm": "vllm",
    "TensorRT-LLM": "tensorrt-llm", "pytorch": "pytorch", "tensorflow": "tensorflow", "mindspore": "mindspore",
    "mindformers": "mindformers", "mindnlp": "mindnlp", "MindSpeed": "mindspeed",
}  # fmt: skip
# Types by project: sums of the themes' columns of P5.2; the totals are the paper's Table I.
TOTALS = {"A": 542, "B": 12_491, "C": 25_709}
CAUSES = {
    "Environment Compatibility Issues": (100, 58, 53, 5, 7),
    "Configuration and Parameter Setting Errors": (51, 59, 14, 4, 2),
    "Data and Computation Issues": (25, 36, 10, 0, 0),
    "API Usage and Interface Issues": (26, 19, 19, 0, 1),
    "Distributed and Parallel Computing Issues": (24, 1, 18, 8, 3),
    "Tokenizer and Text Processing Issues": (4, 41, 6, 0, 0),
    "Hardware and Resource Limitations": (41, 3, 2, 0, 1),
    "Algorithm Implementation Defects": (22, 21, 0, 2, 1),
    "Model Corruption Issues": (2, 2, 15, 0, 0),
}
SYMPTOMS = ("Crash", "Incorrect Functionality", "Loading Failure", "Hang", "Poor Performance")


LAUNCHER = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:])
print("Peak:", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(done.returncode)
"""


@dataclass(frozen=True)
class Imported:
    """How the big set's import went in a process of its own."""

    seconds: float
    peak_megabytes: float
    said: str


@pytest.fixture(scope="module")
def imported(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Imported]:
    """All four shipped mappings, imported into the tests' database; emptied afterwards."""
    with django_db_blocker.unblock():
        load_codebook()
        imported = import_big_set()
        for mapping, file in (
            ("open-llm-failures", "open-llm-failures/open_llm_failures.json"),
            ("dl-compiler-bugs", "dl-compiler-bugs/dataset.csv"),
            ("silent-bugs-keras", "silent-bugs-keras/issues_voting.csv"),
        ):
            call_command("import_study", mapping, DATA / file)
        yield imported
        call_command("flush", interactive=False, verbosity=0)


def big_set() -> list[Path]:
    return sorted((DATA / "llm-challenges").glob("*.csv"))


def import_big_set() -> Imported:
    # Alone in a launcher: Linux counts what the starting process held as the started one's peak.
    process = command("import_study", "llm-challenges", *big_set(), through=LAUNCHER)
    said = process.communicate()[0].decode()
    assert process.returncode == 0, said
    found = re.search(r"Together: .*\((\d+\.\d) s\)", said)
    peak = re.search(r"Peak: (\d+)$", said)
    assert found, said
    assert peak, said
    per_megabyte = 1024**2 if sys.platform == "darwin" else 1024
    return Imported(float(found.group(1)), int(peak.group(1)) / per_megabyte, said)


@pytest.fixture
def p5(imported: Imported, db: None) -> Source:
    return Source.objects.get(slug="p5-llm-challenges")


def published_themes() -> dict[str, dict[str, int]]:
    """Table P5.2 of the facts: theme -> framework -> reports."""
    lines = [line for line in FACTS.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    header = next(line for line in lines if "| Code | Theme |" in line)
    names = [cell.strip() for cell in header.strip("|").split("|")][4:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    themes = [row for row in rows if re.fullmatch(r"[ABC]\.\d+", row[0]) and len(row) == 4 + len(names)]
    return {row[0]: {FRAMEWORKS[n]: int(cell) for n, cell in zip(names, row[4:], strict=True)} for row in themes}


def fleiss(rows: list[RowVotes]) -> float:
    """Fleiss' kappa over rows with the same number of votes each."""
    raters = len(rows[0].votes)
    overall: Counter[str] = Counter()
    agreement = 0.0
    for row in rows:
        counts = Counter(row.votes)
        overall += counts
        agreement += sum(n * (n - 1) for n in counts.values()) / (raters * (raters - 1))
    expected = sum((n / (len(rows) * raters)) ** 2 for n in overall.values())
    return (agreement / len(rows) - expected) / (1 - expected)


def show(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def test_the_types_of_eleven_projects_are_as_published(p5: Source, capsys: pytest.CaptureFixture[str]) -> None:
    published: Counter[tuple[str, str]] = Counter()
    for code, by_framework in published_themes().items():
        for framework, reports in by_framework.items():
            published[framework, code[0]] += reports
    ours = Counter({(r.framework, r.code): r.rows for r in count_rows_by_node(source=p5, axis="issue_type")})
    with capsys.disabled():
        show(f"\nP5, reports by type: paper / ours\n{'':14}" + "".join(f"{t:>16}" for t in TOTALS))
        for framework in FRAMEWORKS.values():
            cells = (f"{published[framework, t]:,} / {ours[framework, t]:,}" for t in TOTALS)
            show(f"{framework:14}" + "".join(f"{cell:>16}" for cell in cells))
        sums = {t: sum(n for (_, kind), n in ours.items() if kind == t) for t in TOTALS}
        show(f"{'together':14}" + "".join(f"{f'{TOTALS[t]:,} / {sums[t]:,}':>16}" for t in TOTALS))
    assert +ours == +published
    assert sums == TOTALS
    assert sum(sums.values()) == 38_742 == ImportedRow.objects.filter(file__source=p5).count()


def test_the_themes_of_eleven_projects_are_as_published(p5: Source) -> None:
    ours: dict[str, dict[str, int]] = {}
    for row in count_rows_by_node(source=p5, axis="theme"):
        ours.setdefault(row.code, {})[row.framework] = row.rows
    published = {code: {f: n for f, n in row.items() if n} for code, row in published_themes().items()}
    assert ours == {code: row for code, row in published.items() if row}
    assert len(published) == 18


def test_repeated_addresses_are_one_issue_each_and_told(p5: Source) -> None:
    told = Counter(ImportRejection.objects.filter(run__source=p5, run__status="done").values_list("file", flat=True))
    assert told == {"mindspore.csv": 1, "pytorch.csv": 5}
    assert Issue.objects.filter(labels__source=p5).distinct().count() == 38_736


def test_agreement_over_the_stored_votes_is_as_published(p5: Source, capsys: pytest.CaptureFixture[str]) -> None:
    assert AnnotatorVote.objects.filter(row__file__source=p5).count() == 7 * 38_742
    rows = list(list_votes(source=p5, axis="theme"))
    ours = {kind: round(fleiss([row for row in rows if row.finals[0][0] == kind]), 3) for kind in TOTALS}
    with capsys.disabled():
        show(f"\nP5, Fleiss' kappa C, B, A: paper 0.717, 0.755, 0.757; ours {ours['C']}, {ours['B']}, {ours['A']}")
    assert ours == {"C": 0.717, "B": 0.755, "A": 0.757}


@pytest.mark.usefixtures("imported", "db")
def test_symptoms_by_causes_are_as_published(capsys: pytest.CaptureFixture[str]) -> None:
    source = Source.objects.get(slug="open-llm-failures")
    pairs = count_row_pairs(source=source, first_axis="root_cause", second_axis="symptom")
    ours = Counter({(pair.first, pair.second): pair.rows for pair in pairs})
    with capsys.disabled():
        show(
            f"\nOpen-LLM-Failures, cause x symptom: paper / ours\n{'':44}" + "".join(f"{s[:11]:>13}" for s in SYMPTOMS)
        )
        for cause, counts in CAUSES.items():
            cells = (f"{n} / {ours[cause, s]}" for n, s in zip(counts, SYMPTOMS, strict=True))
            show(f"{cause:44}" + "".join(f"{cell:>13}" for cell in cells))
    published = {(c, s): n for c, counts in CAUSES.items() for s, n in zip(SYMPTOMS, counts, strict=True)}
    assert +ours == +Counter(published)
    assert sum(ours.values()) == 706
    assert Issue.objects.filter(labels__source=source).distinct().count() == 703
    assert CauseLink.objects.filter(source=source, symptom__name="Hang", cause__code="OLF.R05").exists()


@pytest.mark.usefixtures("imported", "db")
def test_compiler_bugs_count_as_published() -> None:
    source = Source.objects.get(slug="dl-compiler-bugs")
    counts: Counter[str] = Counter()
    for row in count_rows_by_node(source=source, axis="symptom"):
        counts[row.code] += row.rows
    assert (counts["DLC.S1"], counts["DLC.S2"]) == (358, 151)
    assert sum(counts.values()) == 603
    assert set(Issue.objects.filter(labels__source=source).values_list("kind", flat=True)) == {"pull_request"}
    wrong = ImportRejection.objects.get(run__source=source, reason="contradiction")
    assert wrong.message == "column 'pr_id' says 4243, the address says 6298"


@pytest.mark.usefixtures("imported", "db")
def test_reviewers_votes_agree_as_published() -> None:
    source = Source.objects.get(slug="silent-bugs-keras")
    rows = list(list_votes(source=source, axis="silent"))
    yes = Counter(row.votes.count("SBK.yes") for row in rows)
    assert yes == {0: 1_032, 1: 41, 2: 38, 3: 57}
    assert round(fleiss(rows), 3) == 0.701
    assert Label.objects.filter(source=source, node__code="SBK.yes").count() == 95


@pytest.mark.usefixtures("imported", "db")
@pytest.mark.parametrize(
    ("slug", "compared", "cells", "issues"),
    [
        ("p5-llm-challenges", {"types-by-project": 48, "themes-by-project": 228}, {("C.1", "vllm"): 1_629}, 38_736),
        (
            "open-llm-failures",
            {"causes-by-symptom": 60, "symptoms": 48, "causes": 37, "stages": 3, "models": 4},
            {("OLF.R01", "OLF.S01"): 100, ("OLF.R09", ""): 19},
            703,
        ),
        (
            "dl-compiler-bugs",
            {
                "symptoms": 7,
                "causes": 26,
                "stages": 4,
                "stages-by-compiler": 13,
                "compilers": 4,
                "causes-by-symptom": 91,
                "symptoms-by-compiler": 28,
                "causes-by-compiler": 52,
            },
            {("DLC.S1", ""): 358, ("DLC.S2", ""): 151},
            0,
        ),
        ("silent-bugs-keras", {"silent": 3}, {("SBK.yes", ""): 95}, 1_168),
    ],
)
def test_every_published_table_is_counted_again_exactly(
    slug: str,
    compared: dict[str, int],
    cells: dict[tuple[str, str], int],
    issues: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    tables = {
        shown.table.slug: shown
        for shown in study_tables(study=Study.objects.get(slug=slug), is_imported=True)
        if shown.table.is_recounted
    }
    with capsys.disabled():
        for name, shown in tables.items():
            show(f"\n{slug}, {name}: {shown.said}")
    assert {name: len(shown.comparison.compared) for name, shown in tables.items()} == compared
    assert not [cell for shown in tables.values() for cell in shown.comparison.differing]
    counted = {key: cell.recounted for shown in tables.values() for key, cell in shown.comparison.cells.items()}
    assert {key: counted[key] for key in cells} == cells
    assert {shown.total.issues for shown in tables.values() if shown.total} == {issues}


@pytest.mark.usefixtures("imported", "db")
def test_two_imported_studies_compare_by_their_own_rows() -> None:
    first, second = (Study.objects.get(slug=slug) for slug in ("open-llm-failures", "dl-compiler-bugs"))
    found = compare_studies(first=first, second=second, axis="symptom")
    assert found is not None
    assert (found.first.is_recounted, found.second.is_recounted, found.shared) == (True, True, 0)
    crash = next(row for row in found.rows if row.node.code == "crash")
    # Its import errors stand below loading failures, but lie within what the house calls a crash.
    assert crash.first.names == ("Crash", "Import Error")
    assert (crash.first.cases, crash.first.of) == (295 + 12, 706)
    assert (crash.second.cases, crash.second.of) == (358, 603)
    assert crash.difference.verdict.value == "differ"


def test_the_big_set_comes_in_small_and_only_once(
    imported: Imported, p5: Source, capsys: pytest.CaptureFixture[str]
) -> None:
    before = list(Label.objects.filter(source=p5).order_by("pk").values_list("pk", "issue", "node"))
    again = run_command("import_study", "llm-challenges", *big_set())
    with capsys.disabled():
        show(f"\n38,742 rows x 8 labels: {imported.seconds} s, peak {imported.peak_megabytes:.0f} MB\n{again[-260:]}")
    assert imported.peak_megabytes < 400
    assert "written: nothing new" in again.splitlines()[-2]
    assert list(Label.objects.filter(source=p5).order_by("pk").values_list("pk", "issue", "node")) == before
