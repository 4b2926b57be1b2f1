"""How reliable is “same fault, 0.93”? All 300 held-out reports: `make relevance REPORTS=1`. Prints; changes nothing."""

from pathlib import Path

import pytest
from django.test import override_settings

from tests.relevance.reports import BINS, SAME, Offer, bin_of, calibration_error, graded, matches

pytestmark = [pytest.mark.django_db, pytest.mark.real_data]
MOST_ERROR = 0.05


def test_said_and_true_agree_on_reports_that_were_not_fitted_on(index_folder: Path) -> None:
    grades = graded("held_out")
    with override_settings(SEARCH_ENGINE="tantivy", SEARCH_INDEX_DIR=index_folder):
        found = list(matches(grades))
    offers = [
        Offer(best["same_fault"] or 0.0, grades[url].get(best["url"]) == SAME)
        for url, several in found
        for best in several[:1]
    ]
    # Where nothing is offered, nothing is said to be the same fault.
    best = [*offers, *[Offer(0.0, is_same=False)] * (len(found) - len(offers))]
    lines = [f"\nThe same fault: {len(found)} reports, something offered to {len(offers)} of them"]
    for low in range(BINS):
        if in_bin := [offer for offer in offers if bin_of(offer) == low]:
            said = sum(offer.said for offer in in_bin) / len(in_bin)
            lines.append(f"  {low / BINS:.1f}: n {len(in_bin)}, said {said:.2f}, true {sum(o.is_same for o in in_bin)}")
    lines.append(
        f"  calibration error {calibration_error(best):.3f}, of what was offered {calibration_error(offers):.3f}"
    )
    print("\n".join(lines))  # noqa: T201
    assert calibration_error(best) <= MOST_ERROR
