"""From a set-up to an upgrade: a check, the first fixed version, all that it changes, and the releases behind it."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenPage

pytestmark = pytest.mark.e2e
SETUP = """deepspeed==0.14.2
torch==2.3.0
triton==2.3.0

{"zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"}}, "train_batch_size": 8}
"""


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_set_up_leads_to_what_its_upgrade_changes(open_page: OpenPage, scripts: bool) -> None:
    page = open_page("/check/", java_script_enabled=scripts)
    page.get_by_label("Packages, configuration, command").fill(SETUP)
    page.get_by_role("button", name="Check").click()
    page.get_by_role("link", name="What else changes up to deepspeed").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("deepspeed 0.14.2")
    expect(page.get_by_role("heading", name="Fixed on the way")).to_be_visible()
    page.locator("#fixed a[href^='/releases/deepspeed/']").first.click()
    expect(page.get_by_role("heading", name="Fixed here")).to_be_visible()


def test_a_form_compares_two_versions_and_a_set_up_filters_them(open_page: OpenPage) -> None:
    page = open_page("/upgrade/")
    page.get_by_label("Package", exact=True).select_option("deepspeed")
    page.get_by_label("From version").fill("0.14.2")
    page.get_by_label("To version").fill("0.15.4")
    page.get_by_role("button", name="Compare").click()
    expect(page).to_have_url(re.compile(r"/upgrade/deepspeed/0\.14\.2\.\.\.0\.15\.4$"))
    page.get_by_text("Show only faults that your set-up can have").click()
    page.get_by_label("Package list, configuration, launch command").fill('{"zero_optimization": {"stage": 1}}')
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_text("do not meet").or_(page.get_by_text("does not meet"))).to_be_visible()


def test_a_bar_of_the_chart_leads_to_its_release(open_page: OpenPage) -> None:
    page = open_page("/releases/deepspeed/")
    bar = page.locator("#releases .bars .point path").first
    expect(bar).to_be_visible()
    bar.scroll_into_view_if_needed()
    box = bar.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page).to_have_url(re.compile(r"/releases/deepspeed/[\d.]+/#issues$"))
