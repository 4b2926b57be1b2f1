"""Of the matches that are called likely, most are the same fault: graded reports that have one, asked again."""

from pathlib import Path

import pytest
from django.test import override_settings

from tests.relevance.reports import SAME, Offer, graded, matches

pytestmark = [pytest.mark.django_db, pytest.mark.real_data]
LIKELY, LEAST_PRECISION, LEAST_OFFERED = 0.7, 0.75, 10


def test_of_what_is_called_likely_most_is_the_same_fault(index_folder: Path) -> None:
    grades = {**graded("fit"), **graded("held_out")}
    with_twin = {url: of_one for url, of_one in grades.items() if SAME in of_one.values()}
    with override_settings(SEARCH_ENGINE="tantivy", SEARCH_INDEX_DIR=index_folder):
        likely = [
            Offer(match["same_fault"] or 0.0, with_twin[url][match["url"]] == SAME)
            for url, several in matches(with_twin)
            for match in several
            if match["url"] in with_twin[url] and (match["same_fault"] or 0.0) >= LIKELY
        ]
    assert len(likely) >= LEAST_OFFERED
    assert sum(offer.is_same for offer in likely) >= LEAST_PRECISION * len(likely)
