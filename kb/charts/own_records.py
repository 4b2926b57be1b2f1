"""Faultbook's own described issues as a side of a comparison with a study. Reads the database."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import connection
from django.http import QueryDict
from django.urls import reverse

from kb.charts.counting import combinations, tally
from kb.charts.dimensions import implied_by
from kb.charts.evidence import gather
from kb.filters.issues import AXIS_KEYS
from kb.models import Study
from kb.selectors.remembered import remembered

QUERY = "curated=true"
KEYS = {axis: key for key, axis in AXIS_KEYS.items()}
SHARED = """
SELECT count(DISTINCT l.issue_id) FROM kb_label l JOIN kb_source s ON s.id = l.source_id AND s.study_id = %s
JOIN kb_issue i ON i.id = l.issue_id AND i.is_curated
"""


@dataclass(frozen=True)
class OwnRecords:
    """What stands for a study; there is one of it."""

    slug: str = "records"
    code: str = "Faultbook"
    title: str = "its own records, as they are now"
    is_records: bool = True

    def __str__(self) -> str:
        return "Faultbook's records"

    def get_absolute_url(self) -> str:
        """The records."""
        return f"{reverse('search')}?{QUERY}"


RECORDS = OwnRecords()


@dataclass(frozen=True)
class OwnCounts:
    """Described issues by the code of a house node, those below it included, of all that answer the axis."""

    by_code: Mapping[str, int]
    of: int


def count_records(*, axis: str) -> OwnCounts:
    """The described issues on a house axis, pull requests left out."""

    def count() -> OwnCounts:
        evidence = gather(QueryDict(QUERY))
        tree = evidence.trees([axis])[axis]
        counted = tally(combinations(evidence, (KEYS[axis],)), implied_by(tree, tree.branches.values()))
        return OwnCounts(dict(counted.counts), counted.answered)

    return remembered(f"own-records:{axis}", count)


def query_of(*, axis: str, code: str) -> str:
    """The address of the records with a house node."""
    return f"{QUERY}&{KEYS[axis]}={code}"


def shared_with(*, study: Study) -> int:
    """The number of records that the study labels, too."""

    def count() -> int:
        with connection.cursor() as cursor:
            cursor.execute(SHARED, [study.pk])
            return int(cursor.fetchone()[0])

    return remembered(f"shared-with-records:{study.pk}", count)
