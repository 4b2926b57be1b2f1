"""Real reports through `similar`, held against pairs that were read and graded; what that says of probabilities.

`same_fault.csv` has addresses and grades only: 2 is the same fault, 1 one of its kind, 0 another. Its held-out part is
300 reports drawn by lot; a best match that nobody graded counts as wrong.
"""

import csv
import gzip
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from kb.core.similar import SimilarMatchData
from kb.models import Issue
from kb.search import Report, similar_to_report
from tests.relevance import corpus

GRADED = Path(__file__).with_name("same_fault.csv")
BINS = 10
SAME = 2


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
    for path in sorted(corpus.DATA.glob("*.jsonl.gz")):
        with gzip.open(path, "rt") as lines:
            for row in map(json.loads, lines):
                if (url := row["html_url"]) in wanted:
                    report = Report(row["title"], row["body"] or "", frameworks.get(url, ""), url=url)
                    yield url, similar_to_report(report, str)["matches"]


def bin_of(offer: Offer) -> int:
    """The bin of equal width that the said probability lies in."""
    return min(int(offer.said * BINS), BINS - 1)


def calibration_error(offers: list[Offer]) -> float:
    """The expected calibration error (Naeini and others 2015)."""
    bins: dict[int, list[Offer]] = defaultdict(list)
    for offer in offers:
        bins[bin_of(offer)].append(offer)
    apart = (abs(sum(each.said - each.is_same for each in several)) for several in bins.values())
    return sum(apart) / len(offers)
