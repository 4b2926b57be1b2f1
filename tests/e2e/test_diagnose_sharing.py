"""A result is shared, read by somebody else, and deleted; what was said of one is reviewed."""

import re

import pytest
from playwright.sync_api import Page, expect

from kb.models import DiagnosisFeedback, SharedDiagnosis
from tests.e2e.axe import faults_of
from tests.e2e.conftest import NARROW, OpenPage
from tests.e2e.labeling import log_in
from tests.kb.web.people import make_user
from tests.support.made_up import BASE62, drawn

pytestmark = pytest.mark.e2e
TOKEN = "hf_" + drawn(BASE62, 34)
PRIVATE = ("gpu-a17", "10.1.2.3", "/home/ada", "secretlab", TOKEN)
LOG = f"""\
2026-11-20 10:00:00 [rank0]: gpu-a17:1234:1299 [0] NCCL INFO Connected to 10.1.2.3<29500>
2026-11-20 10:00:01 [rank0]: iteration 10/ 1000 | loss 2.5 | elapsed time per iteration (ms): 400.0
2026-11-20 10:00:02 [rank0]: Traceback (most recent call last):
2026-11-20 10:00:02 [rank0]:   File "/home/ada/secretlab/train.py", line 12, in main
2026-11-20 10:00:02 [rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried 2.00 GiB, {TOKEN} at 10.1.2.3 gpu-a17
"""
ISSUE = "https://github.com/deepspeedai/DeepSpeed/issues/4808"


def diagnose(page: Page) -> None:
    """Paste the log and have it diagnosed."""
    page.goto("/diagnose/")
    page.locator("#id_text").fill(LOG)
    page.get_by_role("button", name="Diagnose", exact=True).click()
    expect(page.get_by_role("heading", name="The failing line")).to_be_visible()


def is_clean(page: Page) -> None:
    """No fault of accessibility in either theme, nothing wider than the screen."""
    assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("window.innerWidth")
    for theme in ("light", "dark"):
        page.evaluate("theme => document.documentElement.dataset.bsTheme = theme", theme)
        assert faults_of(page, theme) == []


@pytest.mark.parametrize("has_scripts", [True, False])
def test_a_result_is_shared_read_by_another_and_deleted(open_page: OpenPage, has_scripts: bool) -> None:
    page = open_page("/diagnose/", width=NARROW, java_script_enabled=has_scripts, reduced_motion="reduce")
    diagnose(page)
    page.get_by_text("Share this result").click()
    page.get_by_role("button", name="Preview what would be shared").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What would be shared")
    assert [secret for secret in PRIVATE if secret in page.inner_text("main")] == []
    if has_scripts:
        is_clean(page)
    page.get_by_label("Title").fill("Out of memory on gpu-a17")
    page.get_by_label("1 day", exact=True).check()
    page.get_by_role("button", name="Share exactly this").click()
    expect(page.get_by_role("alert")).to_contain_text("changed with your choice")
    page.get_by_role("button", name="Share exactly this").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("It is shared")
    if has_scripts:
        is_clean(page)
    link, delete_link = (page.locator(f"#{name}").inner_text() for name in ("share-link", "delete-link"))
    other = open_page("/", width=NARROW, reduced_motion="reduce")
    other.goto(link)
    text = other.inner_text("main")
    assert "Out of memory on host-1" in text
    assert "torch.OutOfMemoryError" in text
    assert [secret for secret in PRIVATE if secret in other.content()] == []
    is_clean(other)
    page.goto(delete_link)
    page.get_by_role("button", name="Delete it").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("It is deleted")
    assert not SharedDiagnosis.objects.exists()
    assert other.request.get(link).status == 410


def test_what_was_said_is_reviewed_and_the_same_failure_is_known_until_it_is_taken_back(open_page: OpenPage) -> None:
    page = open_page("/diagnose/", width=NARROW, reduced_motion="reduce")
    diagnose(page)
    page.get_by_text("Was this right?").click()
    page.get_by_label("Yes, this was it").check()
    page.get_by_label("Address of the matching issue").fill(ISSUE)
    page.get_by_role("button", name="Preview what would be stored").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What would be stored")
    assert [secret for secret in PRIVATE if secret in page.inner_text("main")] == []
    is_clean(page)
    page.get_by_role("button", name="Send it").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Thank you")
    row = DiagnosisFeedback.objects.get()
    assert (row.state, row.issue_url) == ("new", ISSUE)
    staff = open_page("/", width=NARROW, reduced_motion="reduce")
    make_user("ada", is_staff=True, is_superuser=True)
    staff.goto("/account/login/")
    log_in(staff)
    staff.goto("/diagnose/review/")
    is_clean(staff)
    staff.get_by_role("link", name=re.compile("failed first: this was it")).click()
    expect(staff.get_by_role("button", name="Accept")).to_be_visible()
    is_clean(staff)
    staff.get_by_role("button", name="Accept").click()
    expect(staff.get_by_role("status").first).to_contain_text("Accepted.")
    diagnose(page)
    expect(page.locator("main")).to_contain_text("Seen before: confirmed to be this")
    staff.get_by_role("button", name="Undo the decision").click()
    expect(staff.get_by_role("status").first).to_contain_text("Undone")
    diagnose(page)
    expect(page.locator("main")).not_to_contain_text("Seen before")
