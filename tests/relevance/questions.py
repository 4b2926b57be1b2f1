"""Real questions put to the search page, with the record that answers each: `make relevance QUESTIONS=FILE`.

The file is a list of objects in JSON with `q`, `lang`, `style` and `wanted_record` (OWNER/NAME#NUMBER; null where the
field has no answer). It stays outside of the project: questions that were used to choose records measure nothing. Only
the rank is judged: of a question that no record answers but a neighbour helps with, a person must say so.
"""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from django.core.cache import cache
from django.test import Client, override_settings
from django.urls import resolve, reverse

from kb.models import Issue, OtherReport

pytestmark = [pytest.mark.django_db, pytest.mark.real_data]

FIRST, PAGE = 3, 10
ANSWERED, HELPED, MISLED, NOTHING = "answered", "helped", "misled", "nothing close"
VERDICTS = (ANSWERED, HELPED, MISLED, NOTHING)


@dataclass(frozen=True)
class Question:
    """What somebody asked; `wanted`: the address of the thread whose record answers it, empty where there is none."""

    text: str
    language: str
    style: str
    wanted: str


class Shown(NamedTuple):
    """What the page shows: its results' addresses, those in the answer above them, and whether it calls them close."""

    results: tuple[str, ...]
    panel: tuple[str, ...]
    is_close: bool


def read_questions(path: Path) -> list[Question]:
    """Read a file of questions."""
    return [
        Question(entry["q"], entry["lang"], entry["style"], _address(entry.get("wanted_record") or ""))
        for entry in json.loads(path.read_text(encoding="utf-8"))
    ]


def _address(record: str) -> str:
    name, _, number = record.partition("#")
    return f"https://github.com/{name}/issues/{number}" if number else ""


def verdict(shown: Shown, answers: Iterable[str]) -> str:
    """Answered: among the first three, or in the answer above; helped: further down on the page; else what is said.

    Misled is the most that it can be: the page calls something close that is not the answer, and it may help all the
    same.
    """
    right = {url.lower() for url in answers}
    if right.intersection(url.lower() for url in (*shown.results[:FIRST], *shown.panel)):
        return ANSWERED
    if right.intersection(url.lower() for url in shown.results[:PAGE]):
        return HELPED
    return MISLED if shown.is_close else NOTHING


def answers_to(question: Question) -> set[str]:
    """The threads whose pages answer: the wanted one, and the records that say they answer it."""
    number = question.wanted.rsplit("/", 1)[-1]
    reports = OtherReport.objects.filter(ref=number).select_related("record", "repository")
    records = {report.record.url for report in reports if report.url.lower() == question.wanted.lower()}
    return {question.wanted, *records} - {""}


def ask(client: Client, text: str) -> Shown:
    """The search page's answer to a question, as a reader sees it."""
    response = client.post(reverse("search"), {"q": text})
    if response.status_code == HTTPStatus.FOUND:
        named = resolve(urlsplit(response["Location"]).path).kwargs
        address = "https://{host}/{owner}/{name}/issues/{ref}".format(**named)
        return Shown((address,), (), is_close=True)
    result, issues = response.context["result"], response.context.get("issues") or ()
    rows = tuple(row.card.url for row in result.rows)
    panel = tuple(issue["source_url"] for issue in issues)
    return Shown(rows, panel, is_close=bool(panel) or bool(result.total and result.is_close))


def table(questions: list[Question], verdicts: list[str]) -> Iterator[str]:
    """The shares of each verdict: all questions, each style, each language; those without an answer apart."""
    pairs = list(zip(questions, verdicts, strict=True))
    groups: dict[str, list[str]] = {"all": [given for question, given in pairs if question.wanted]}
    for question, given in pairs:
        for group in (question.style, question.language) if question.wanted else ("no answer",):
            groups.setdefault(group, []).append(given)
    yield f"{'':14} {'n':>4}" + "".join(f"{name:>15}" for name in VERDICTS)
    for group, some in groups.items():
        counts = Counter(some)
        cells = "".join(f"{100 * counts[name] / max(len(some), 1):>13.0f} %" for name in VERDICTS)
        yield f"{group:14} {len(some):>4}{cells}"


def test_questions(index_folder: Path, client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    """Ask them all and print what became of each."""
    questions = read_questions(Path(os.environ["QUESTIONS"]))
    with override_settings(SEARCH_ENGINE="tantivy", SEARCH_INDEX_DIR=index_folder):
        verdicts = [_judged(client, question) for question in questions]
    described = set(Issue.objects.exclude(summary="").values_list("url", flat=True))
    lines = [""]
    for question, given in zip(questions, verdicts, strict=True):
        has_record = "record" if described & answers_to(question) else "no record"
        lines.append(f"{given:14} {has_record:10} {question.text[:80]}")
    with capsys.disabled():
        print("\n".join([*lines, "", *table(questions, verdicts)]))  # noqa: T201


def _judged(client: Client, question: Question) -> str:
    # One visitor may not ask so much in so short a time.
    cache.clear()
    return verdict(ask(client, question.text), answers_to(question))
