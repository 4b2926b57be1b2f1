"""Cause links that follow one changed label, beside counting all of them from nothing. Run with `make bench`.

One source has labelled BENCH_LINKS issues (40,000 unless told) with a symptom and a cause of the house codebook each.
What is stored in the end must be what a full recount has; that following is the quicker is asserted, by how much is
printed.
"""

import os
import statistics
import time
from collections.abc import Callable

import pytest
from django.db import connection

from kb.models import Label, Node
from kb.services.cause_link_check import check_cause_links
from kb.services.cause_links import follow_labels, rebuild_cause_links
from tests.support.factories import make_issue, make_source

pytestmark = pytest.mark.django_db
SIZE = int(os.environ.get("BENCH_LINKS", "40000"))
ROUNDS = 20
COLUMNS = """
SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
WHERE attrelid = 'kb_issue'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
"""
LABELS = """
INSERT INTO kb_label (issue_id, node_id, axis_id, source_id, reason)
SELECT i.id, node.id, node.axis_id, %(source)s, ''
FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM kb_issue) AS i
CROSS JOIN (SELECT 'symptom' AS code UNION SELECT 'root_cause') AS axis
CROSS JOIN LATERAL (
    SELECT found.id, found.axis_id FROM (
        SELECT kb_node.*, row_number() OVER (ORDER BY kb_node.id) AS place, count(*) OVER () AS many
        FROM kb_node JOIN kb_axis a ON a.id = kb_node.axis_id AND a.code = axis.code
        JOIN kb_scheme s ON s.id = a.scheme_id AND s.study_id IS NULL WHERE kb_node.status = 'active'
    ) AS found
    WHERE place = 1 + (i.n * i.n * CASE axis.code WHEN 'symptom' THEN 7 ELSE 11 END) %% many
) AS node
"""


@pytest.mark.usefixtures("codebook")
def test_following_a_label_beside_counting_all(capsys: pytest.CaptureFixture[str]) -> None:
    _fill()
    first, _ = _timed(follow_labels)
    rebuilt = [_timed(rebuild_cause_links)[0] for _ in range(3)]
    followed = [_timed(follow_labels)[0] for _ in range(ROUNDS) if _change_some(1)]
    _change_some(SIZE // 100)
    hundredth, _ = _timed(follow_labels)
    idle, _ = _timed(follow_labels)
    with capsys.disabled():
        print(f"\ncause links of {SIZE:,} labelled issues, milliseconds")  # noqa: T201
        print(f"  all of them new        {first:10,.1f}")  # noqa: T201
        print(f"  counted from nothing   {statistics.median(rebuilt):10,.1f}")  # noqa: T201
        print(f"  one label changed      {statistics.median(followed):10,.1f}")  # noqa: T201
        print(f"  one in a hundred       {hundredth:10,.1f}")  # noqa: T201
        print(f"  nothing changed        {idle:10,.1f}")  # noqa: T201
    assert check_cause_links().is_clean
    assert statistics.median(followed) < statistics.median(rebuilt)


def _fill() -> None:
    model, source = make_issue(), make_source()
    with connection.cursor() as cursor:
        cursor.execute(COLUMNS)
        columns = cursor.fetchone()[0]
        values = columns.replace("id,", "%(first)s + n,", 1)
        for name in ("ref", "url"):
            values = values.replace(f" {name},", f" {name} || 'x' || n,", 1)
        cursor.execute(
            f"INSERT INTO kb_issue ({columns}) SELECT {values} "  # noqa: S608 names of our own columns
            "FROM kb_issue i, generate_series(1, %(size)s) AS n WHERE i.id = %(model)s",
            {"first": model.pk, "size": SIZE - 1, "model": model.pk},
        )
        cursor.execute(LABELS, {"source": source.pk})
        cursor.execute("ANALYZE")


def _change_some(number: int) -> int:
    """Give so many issues another cause; returns how many labels moved."""
    causes = list(Node.objects.house().filter(axis__code="root_cause", status="active").order_by("pk")[:2])
    chosen = Label.objects.filter(axis=causes[0].axis).exclude(node__in=causes).order_by("?")[:number]
    return Label.objects.filter(pk__in=[label.pk for label in chosen]).update(node=causes[0])


def _timed(work: Callable[[], int]) -> tuple[float, int]:
    """Milliseconds, and what the work returned."""
    started = time.perf_counter()
    done = work()
    return (time.perf_counter() - started) * 1_000, done
