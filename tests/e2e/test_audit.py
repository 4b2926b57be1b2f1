"""The label audit in a browser: seven annotators; clean for axe, no wider than a phone, whole without scripts."""

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.e2e.axe import all_faults_of
from tests.e2e.conftest import OpenPage
from tests.ingest.small import ISSUE, make_small_study, run_small

pytestmark = pytest.mark.e2e
COLUMNS = [f"v{number}" for number in range(1, 8)]


@pytest.fixture
def audited(site: str, tmp_path: Path) -> str:
    """Seven columns of which the second is a copy of the first; some items stand twice."""
    make_small_study()
    random = np.random.default_rng(7)
    lines = [",".join(["url", *COLUMNS, "final"])]
    for number in range(400):
        votes = np.where(random.random(7) < 0.2, "B.1", "A.1").tolist()
        votes[1] = votes[0]
        final = "A.1" if votes.count("A.1") > 3 else "B.1"
        lines.append(",".join([f"{ISSUE}{max(number, 3)}", *votes, final]))
    file = tmp_path / "seven.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    run_small([file], axes=[{"axis": "theme", "final": "final", "votes": COLUMNS}])
    return "/explore/audit/small-labels"


def test_the_pages_are_clean_and_say_the_same_without_javascript(open_page: OpenPage, audited: str) -> None:
    page = open_page("/explore/audit/", color_scheme="light", reduced_motion="reduce")
    found = all_faults_of(page, "audits")
    page.get_by_role("link", name="Small labels").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Small labels")
    found += all_faults_of(page, "audit")
    assert not found, "\n".join(found)
    page.get_by_role("link", name="Is one column a copy of another?").click()
    told = page.locator("#column-copies")
    assert "Annotator 1 and Annotator 2 give the same answer" in told.inner_text()
    assert told.bounding_box() is not None
    plain = open_page(audited, java_script_enabled=False)
    findings = plain.locator("section:has(dl)").all_inner_texts()
    assert len(findings) == 12
    assert findings[:11] == page.locator("section:has(dl)").all_inner_texts()[:11]
