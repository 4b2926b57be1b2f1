"""Keyboard focus can be seen on every kind of control, in both themes."""

from collections.abc import Mapping

import pytest
from playwright.sync_api import expect

from tests.e2e import demo_project
from tests.e2e.addresses import EXPLORING, READING
from tests.e2e.conftest import NARROW, OpenPage
from tests.e2e.focus import Focus
from tests.e2e.screenshots import log_in
from tests.kb.diagnose.runs import FAILED

pytestmark = pytest.mark.e2e
QUIET: Mapping[str, object] = {"color_scheme": "light", "reduced_motion": "reduce"}


@pytest.fixture(scope="module")
def seen() -> set[str]:
    """The kinds that any test here has looked at on a wide page: what looks the same need not be looked at again."""
    return set()


@pytest.mark.parametrize("addresses", [READING, EXPLORING], ids=["reading", "exploring"])
def test_focus_is_seen_on_public_pages(open_page: OpenPage, seen: set[str], addresses: Mapping[str, str]) -> None:
    page = open_page("/", **QUIET)
    focus = Focus(page, seen)
    for name, path in addresses.items():
        page.goto(path)
        focus.look(name)
    assert not focus.faults, "\n".join(focus.faults)


def test_focus_is_seen_on_a_phone(open_page: OpenPage) -> None:
    page = open_page("/", **QUIET)
    focus = Focus(page, set())
    page.set_viewport_size({"width": NARROW, "height": 900})
    page.goto("/issues/?q=hang")
    focus.look("search on a phone")
    page.locator(".filters-button").click()
    focus.look("facets on a phone")
    assert not focus.faults, "\n".join(focus.faults)


def test_focus_is_seen_on_a_diagnosis_and_its_log(open_page: OpenPage, seen: set[str]) -> None:
    page = open_page("/diagnose/", **QUIET)
    page.get_by_label("Log or traceback").fill(FAILED)
    page.get_by_role("button", name="Diagnose", exact=True).click()
    expect(page.locator(".viewer-row").first).to_be_visible()
    focus = Focus(page, seen)
    focus.look("diagnosis")
    assert not focus.faults, "\n".join(focus.faults)


def test_focus_is_seen_in_a_project_and_an_account(open_page: OpenPage, seen: set[str]) -> None:
    faults: list[str] = []
    for step in (demo_project.begin, demo_project.go_on):
        for account, pages in step().items():
            page = open_page("/account/login/", **QUIET)
            focus = Focus(page, seen)
            focus.look("log in")
            log_in(page, account)
            for name, path in pages.items():
                page.goto(path)
                focus.look(f"{account}, {name}")
            page.goto("/about/")
            page.locator(".reader > summary").click()
            focus.look("menu")
            faults += focus.faults
    assert not faults, "\n".join(faults)


def test_focus_is_seen_on_the_page_of_the_api(open_page: OpenPage, seen: set[str]) -> None:
    page = open_page("/api/docs/", **QUIET)
    page.get_by_role("button", name="Search issues").click()
    expect(page.locator(".responses-table").first).to_be_visible()
    focus = Focus(page, seen)
    focus.look("API")
    assert not focus.faults, "\n".join(focus.faults)
