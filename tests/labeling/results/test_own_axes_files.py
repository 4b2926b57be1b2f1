"""Answers to a project's own questions in files: out and in again, and coefficients beside the libraries."""

import csv
import io
import json
from collections.abc import Callable
from importlib import import_module

import krippendorff
import numpy as np
import pytest

from labeling.agreement.votes import Floats
from labeling.ballots import Ballot, Choice
from labeling.exchange import export as exporting
from labeling.exchange import intake
from labeling.exchange.serialize import WRITERS
from labeling.exchange.values import Options
from labeling.models import (
    Decision,
    Item,
    Job,
    Release,
    Round,
)
from labeling.releases import archive
from labeling.releases import build as making
from labeling.selectors.votes import all_axis_votes
from labeling.services import jobs
from labeling.services.decisions import accept
from labeling.tasks import WORK
from tests.labeling.open_coding import coding_round
from tests.labeling.own_questions import UNTOLD, ballot, voted
from tests.labeling.results.builders import lead_of

pytestmark = pytest.mark.django_db
raters = import_module("statsmodels.stats.inter_rater")  # it has no types


VOTES: list[tuple[Ballot, ...]] = [
    (ballot("user", "mild", "1", "a,b"), ballot("user", "bad", "2", "'=1+1"), ballot("test", "bad", "4.25", "=x")),
    (ballot("test", "fatal", "-3", '"q"'), ballot("test", "fatal", "-3", "c"), ballot("test", "bad", "0", "d: e")),
    (ballot("user", "mild", "10", "é\n\nz"), ballot("monitor", "mild", "12", "g"), ballot("user", "bad", "9", "h")),
    (ballot("monitor", "bad", lesson="i"), ballot("monitor", "fatal", hours=UNTOLD), ballot(lesson=UNTOLD)),
    (ballot("user", severity=UNTOLD), ballot("user", "mild", "3"), ballot("user", "mild", "3.5", "j\\|k")),
]


def answers(round_: Round) -> list[tuple[str, int, str, Choice]]:
    urls = dict(Item.objects.filter(round=round_).values_list("pk", "issue__url"))
    return sorted(
        ((urls[each.item], each.member, each.axis, each.choice) for each in all_axis_votes(round_=round_)), key=repr
    )


@pytest.mark.parametrize("is_coding", [False, True], ids=["kinds", "open codes"])
@pytest.mark.parametrize("format_", WRITERS)
def test_every_kind_goes_out_and_comes_in_again(format_: str, *, is_coding: bool) -> None:
    round_ = coding_round()[1] if is_coding else voted(VOTES)
    lead = lead_of(round_)
    text = "".join(exporting.export(member=lead, rounds=[round_], format_=format_))
    stored, _ = intake.keep_file(
        lead=lead, content=text.encode(), filename="votes", format_=format_, name="Again", options=Options()
    )
    assert stored.report["rejected"] == 0, stored.report
    job = intake.ask(lead=lead, found=stored, people=stored.people)
    jobs.run(job_id=job.pk, work=WORK[Job.Kind.IMPORT])
    assert answers(Round.objects.get(vote_import=stored)) == answers(round_)


def released(round_: Round) -> dict[str, bytes]:
    job = making.ask(lead=lead_of(round_), title="Ours", authors=["Doe, Jo"], licence="CC-BY-4.0", note="")
    jobs.run(job_id=job.pk, work=WORK[Job.Kind.RELEASE])
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.message
    return archive.unpack(bytes(Release.objects.get(project=round_.project_id).archive))


def table(rows: list[dict[str, str]], axis: str, number: Callable[[dict[str, str]], float]) -> Floats:
    """Annotators x issues, as `krippendorff` takes them; NaN where the report does not say."""
    of_axis = [row for row in rows if row["axis"] == axis]
    people, issues = sorted({row["annotator"] for row in of_axis}), sorted({row["issue"] for row in of_axis})
    values = np.full((len(people), len(issues)), np.nan)
    for row in of_axis:
        if row["nodes"] or row["number"]:
            values[people.index(row["annotator"]), issues.index(row["issue"])] = number(row)
    return values


def test_the_coefficients_of_a_release_are_those_of_the_libraries() -> None:
    """On the released file: the alphas of krippendorff, and the kappas of statsmodels."""
    round_ = voted(VOTES)
    accept(lead=lead_of(round_), round_=round_, how=Decision.How.UNANIMOUS)
    files = released(round_)
    rows = list(csv.DictReader(io.StringIO(files["votes/votes.csv"].decode(), newline="")))
    (measured,) = json.loads(files["agreement/agreement.json"])
    ours = {(axis, row["key"]): row["value"] for axis, of_axis in measured["axes"].items() for row in of_axis}
    whos, steps = ["user", "test", "monitor"], ["mild", "bad", "fatal"]
    who = table(rows, "noticed", lambda row: whos.index(row["nodes"]))
    bad = table(rows, "severity", lambda row: steps.index(row["nodes"]))
    hours = table(rows, "hours", lambda row: float(row["number"].lstrip("'")))
    nominal = krippendorff.alpha(reliability_data=who, level_of_measurement="nominal")
    ordinal = krippendorff.alpha(reliability_data=bad, level_of_measurement="ordinal")
    interval = krippendorff.alpha(reliability_data=hours, level_of_measurement="interval")
    alphas = ("noticed", "alpha_nominal"), ("severity", "alpha_ordinal"), ("hours", "alpha_interval")
    assert [ours[key] for key in alphas] == pytest.approx([nominal, ordinal, interval], abs=1e-6)
    counts = np.array([[list(unit).count(code) for code in range(3)] for unit in who.T])
    assert ours["noticed", "fleiss"] == pytest.approx(raters.fleiss_kappa(counts), abs=1e-6)
    kappas = []
    for one, other in ((0, 1), (0, 2), (1, 2)):
        both = np.zeros((3, 3))
        for pair in zip(bad[one], bad[other], strict=True):
            if not np.isnan(pair).any():
                both[int(pair[0]), int(pair[1])] += 1
        kappas.append(raters.cohens_kappa(both, wt="quadratic").kappa)
    assert ours["severity", "cohen_quadratic_mean"] == pytest.approx(np.mean(kappas), abs=1e-6)


def test_a_release_holds_the_texts_and_says_that_they_have_no_coefficient() -> None:
    files = released(voted(VOTES))
    rows = list(map(json.loads, files["votes/votes.jsonl"].decode().splitlines()))
    assert {row["text"] for row in rows if row["axis"] == "lesson"} >= {"a,b", "=x", "é\n\nz", "j\\|k"}
    assert "lesson" not in json.loads(files["agreement/agreement.json"])[0]["axes"]
    method = files["METHOD.md"].decode()
    assert "Lesson was answered in words by 14 of 15 votes" in method
    assert "Severity (a scale of 3 steps, the project's own question)" in method
    axes = json.loads(files["codebook.json"])["axes"]
    assert [(axis["code"], axis["kind"], axis["house_axis"]) for axis in axes][-2:] == [
        ("hours", "number", None),
        ("lesson", "text", None),
    ]
