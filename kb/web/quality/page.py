"""How good Faultbook is: the page and the same figures as CSV."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from kb.core.diagnosis.signals.catalogue import catalogue
from kb.core.quality.figures import SUBJECTS, Measured, Subject, measured
from kb.core.quality.published import published
from kb.core.quality.wording import SubjectWords, wording
from kb.exports.tables import Record
from kb.web.explore.files import csv_file
from kb.web.quality.answers import answers
from kb.web.quality.tables import Table, tables

FILE_NAME = "faultbook-quality.csv"


@dataclass(frozen=True)
class Part:
    """One subject with its tables. `is_older`: the signals have changed since it was measured."""

    of: Subject
    words: SubjectWords
    measured: Measured
    tables: tuple[Table, ...]
    is_older: bool


@require_safe
def quality(request: HttpRequest) -> HttpResponse:
    """The page; with `?format=csv`, all figures as a file."""
    if request.GET.get("format") == "csv":
        return csv_file(FILE_NAME, list(records()))
    context = {
        "answers": answers(),
        "parts": [_part(of) for of in SUBJECTS],
        "published": published(),
        "not_measured": wording().not_measured,
        "trail": [("About", reverse("about"))],
    }
    return render(request, "kb/quality/quality.html", context)


def _part(of: Subject) -> Part:
    found = measured(of)
    is_older = of == "diagnosis" and found.version != f"signals {catalogue().version}"
    return Part(of, wording().subjects[of], found, tables(of), is_older)


def records() -> Iterator[Record]:
    """Every figure of ours, then what others published: `study` names who did."""
    for of in SUBJECTS:
        found = measured(of)
        day = found.measured_on.isoformat()
        for one in found.figures:
            yield {
                "of": of, "among": one.among, "by": one.by, "name": one.name, "value": one.value, "n": one.n,
                "low": one.low, "high": one.high, "measured_on": day, "version": found.version, "study": "",
            }  # fmt: skip
    for study in published():
        for row in study.rows:
            for name, value in row.figures.items():
                yield {
                    "of": "diagnosis", "among": row.about, "by": row.by, "name": name, "value": value,
                    "n": None, "low": None, "high": None, "measured_on": None, "version": "",
                    "study": study.study,
                }  # fmt: skip
