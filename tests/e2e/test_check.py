"""Checking a set-up in a browser: from what is pasted and dropped to what affects it, with and without scripts."""

import pytest
from playwright.sync_api import expect

from tests.e2e.axe import all_faults_of
from tests.e2e.conftest import OpenPage

pytestmark = pytest.mark.e2e
FREEZE = (
    "deepspeed==0.18.2\naccelerate==1.2.0\nnumpy==1.26.4\ntorch==2.6.0\ntorchvision==0.20.1\ntransformers==4.48.0\n"
)
ZERO_2 = '{"zero_optimization": {"stage": 2, "overlap_comm": true}, "bf16": {"enabled": true}}'
DROP = """([zone, name, text]) => {
    const dragged = new DataTransfer();
    dragged.items.add(new File([text], name));
    document.querySelector(zone).dispatchEvent(new DragEvent("drop", { dataTransfer: dragged, bubbles: true }));
}"""


def test_what_is_pasted_and_dropped_is_one_set_up(open_page: OpenPage) -> None:
    page = open_page("/check/", color_scheme="light", reduced_motion="reduce")
    page.get_by_label("Packages, configuration, command").fill(FREEZE)
    page.evaluate(DROP, ["[data-drop]", "ds.json", ZERO_2])
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_role("heading", name="Affects you (")).to_be_visible()
    expect(page.get_by_text("Install torchvision 0.21.")).to_be_visible()
    for fold in page.locator("main summary").all():
        fold.click()
    expect(page.get_by_text("zero_stage is 2 (ds.json").first).to_be_visible()
    assert all_faults_of(page, "check-answer") == []
    page.get_by_role("link", name="What else changes up to deepspeed").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("0.18.2")


def test_it_works_without_scripts(open_page: OpenPage) -> None:
    page = open_page("/check/", java_script_enabled=False)
    page.get_by_label("Packages, configuration, command").fill(FREEZE)
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_role("heading", name="May affect you (")).to_be_visible()
    page.get_by_text("Check again").click()
    expect(page.get_by_label("Packages, configuration, command")).to_have_value(FREEZE)


def test_a_pasted_list_leads_from_the_search_box_to_the_check(open_page: OpenPage) -> None:
    page = open_page("/issues/")
    page.get_by_role("search").get_by_role("textbox").fill(FREEZE)
    page.get_by_role("button", name="Search", exact=True).click()
    page.get_by_role("button", name="Check this set-up").click()
    expect(page.get_by_role("heading", name="May affect you (")).to_be_visible()
