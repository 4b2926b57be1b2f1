"""What Postgres' own full text finds of an issue's texts, and what it leaves out."""

import pytest
from django.db import connection

from kb.models import Issue
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db


def folded(raw: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT kb_fold(%s)", [raw])
        return str(cursor.fetchone()[0]).split()


def finds(issue: Issue, words: str) -> bool:
    return Issue.objects.filter(pk=issue.pk, search_vector=words).exists()


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("ZeRO-3", ["zero3"]),
        ("zero stage 3 and ZeRO_stage-2!", ["zero3", "and", "zero2", "!"]),
        ("ZeRO-Offload, zero-30 nonzero3", ["zero", "offload,", "zero", "30", "nonzero3"]),
        ("torch.distributed/c10d\\rank=0::x--y_z", ["torch", "distributed", "c10d", "rank", "0", "x", "y", "z"]),
        ("", []),
    ],
)
def test_texts_fall_apart_into_words(raw: str, words: list[str]) -> None:
    assert folded(raw) == words


def test_a_short_text_is_found_by_every_word() -> None:
    issue = make_issue(body="begins " + "filler " * 200 + "middling " + "filler " * 100 + "ends")
    assert all(finds(issue, word) for word in ("begins", "middling", "ends"))


def test_a_long_text_is_found_by_its_beginning_and_its_end() -> None:
    issue = make_issue(body="begins " + "filler " * 1_000 + "middling " + "filler " * 1_000 + "ends")
    assert finds(issue, "begins")
    assert finds(issue, "ends")
    assert not finds(issue, "middling")


def test_a_pull_request_is_found_by_its_title_and_its_beginning() -> None:
    pull = make_issue(kind="pull_request", title="Mends offloading", body="begins " + "filler " * 500 + "ends")
    assert finds(pull, "offloading")
    assert finds(pull, "begins")
    assert not finds(pull, "ends")


def test_signatures_and_our_own_words_are_found() -> None:
    issue = make_issue(recognise=["CUBLAS_STATUS_ALLOC_FAILED"], summary="Stalls.", workaround="Downgrade.")
    assert all(finds(issue, word) for word in ("cublas", "stalls", "downgrade"))
