"""How reliable is “same fault, 0.93”? Real reports through `similar`, held against pairs that were read and graded.

`same_fault.csv` has addresses and grades only: 2 is the same fault, 1 one of its kind, 0 another. Its held-out part is
300 reports drawn by lot; a best match that nobody graded counts as wrong. `make relevance` asks all of them.
"""

import csv
import gzip
import json
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pytest
from django.test import override_settings

from kb.core.similar import SimilarMatchData
from kb.models import Issue
from kb.search import Report, similar_to_report
from tests.relevance import corpus

pytestmark = [pytest.mark.django_db, pytest.mark.real_data]
GRADED = Path(__file__).with_name("same_fault.csv")
BINS, SURE, MOST_ERROR, LEAST_PRECISION = 10, 0.9, 0.05, 0.8
SAME = 2
ALL = bool(os.environ.get("UPDATE_MEASURED"))


class Offer(NamedTuple):
    """A match that was offered, and whether it is the same fault."""

    said: float
    is_same: bool


def graded(part: str) -> dict[str, dict[str, int]]:
    """Report -> issue -> grade."""
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    with GRADED.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["part"] == part:
                grades[row["report"]].update({row["issue"]: int(row["grade"])} if row["issue"] else {})
    return grades


def matches(wanted: Mapping[str, object]) -> Iterator[tuple[str, list[SimilarMatchData]]]:
    """What is offered for each of these reports."""
    frameworks = dict(Issue.objects.filter(url__in=wanted).values_list("url", "repository__framework__slug"))
    lines = chain.from_iterable(gzip.open(path, "rt") for path in sorted(corpus.DATA.glob("*.jsonl.gz")))
    for row in map(json.loads, lines):
        if (url := row["html_url"]) in wanted:
            report = Report(row["title"], row["body"] or "", frameworks.get(url, ""), url=url)
            yield url, similar_to_report(report, str)["matches"]


def calibration_error(offers: list[Offer]) -> float:
    """The expected calibration error over bins of equal width (Naeini and others 2015)."""
    bins: dict[int, list[Offer]] = defaultdict(list)
    for offer in offers:
        bins[min(int(offer.said * BINS), BINS - 1)].append(offer)
    apart = (abs(sum(each.said - each.is_same for each in several)) for several in bins.values())
    return sum(apart) / len(offers)


@pytest.mark.skipif(not ALL, reason="asks 300 reports: make relevance")
def test_said_and_true_agree_on_reports_that_were_not_fitted_on(index_folder: Path) -> None:
    grades = graded("held_out")
    with override_settings(SEARCH_ENGINE="tantivy", SEARCH_INDEX_DIR=index_folder):
        found = list(matches(grades))
    # Where nothing is offered, nothing is said to be the same fault.
    best = [
        Offer(several[0]["same_fault"] or 0.0, grades[url].get(several[0]["url"]) == SAME)
        if several
        else Offer(0.0, False)
        for url, several in found
    ]
    print(f"\nThe same fault: {len(best)} reports, something offered to {sum(bool(each) for _, each in found)}")  # noqa: T201
    for low in range(BINS):
        in_bin = [each for each in best if min(int(each.said * BINS), BINS - 1) == low]
        if in_bin:
            said = sum(each.said for each in in_bin) / len(in_bin)
            print(
                f"  {low / BINS:.1f}: n {len(in_bin):>3}, said {said:.2f}, true {sum(each.is_same for each in in_bin)}"
            )  # noqa: T201
    print(f"  calibration error {calibration_error(best):.3f}")  # noqa: T201
    assert calibration_error(best) <= MOST_ERROR


def test_of_what_is_called_likely_most_is_the_same_fault(index_folder: Path) -> None:
    grades = {**graded("fit"), **graded("held_out")}
    if not ALL:
        grades = {url: of_one for url, of_one in grades.items() if SAME in of_one.values()}
    with override_settings(SEARCH_ENGINE="tantivy", SEARCH_INDEX_DIR=index_folder):
        offers = [
            Offer(match["same_fault"] or 0.0, grades[url][match["url"]] == SAME)
            for url, several in matches(grades)
            for match in several
            if match["url"] in grades[url]
        ]
    for least in (0.5, 0.7, SURE):
        likely = [offer for offer in offers if offer.said >= least]
        print(f"  at least {least}: {sum(each.is_same for each in likely)} of {len(likely)} the same fault")  # noqa: T201
    sure = [offer.is_same for offer in offers if offer.said >= SURE]
    assert sum(sure) >= LEAST_PRECISION * len(sure)
