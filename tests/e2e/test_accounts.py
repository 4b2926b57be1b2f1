"""Accounts in a real browser: sign up, log in by keyboard alone, and nothing for axe to find."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import all_faults_of
from tests.e2e.conftest import NARROW, WIDE, OpenPage
from tests.kb.web.people import PASSWORD, make_user

pytestmark = pytest.mark.e2e

OPEN = ("login/", "signup/", "password/reset/", "password/reset/sent/", "email/sent/", "password/reset/x-y/")
CLOSED = ("", "email/", "password/change/", "2fa/", "sessions/", "logout/")


def log_in(page: Page) -> None:
    """Fill in the log-in form."""
    page.goto("/account/login/")
    page.get_by_label("User name or e-mail").fill("ada")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your account")


@pytest.mark.parametrize(("scripts", "width"), [(True, WIDE), (False, NARROW)], ids=["with scripts", "without, narrow"])
def test_signing_up_and_out_again(open_page: OpenPage, scripts: bool, width: int) -> None:
    page = open_page("/", java_script_enabled=scripts, width=width)
    page.get_by_role("link", name="Log in", exact=True).click()
    page.get_by_role("link", name="Sign up", exact=True).click()
    page.get_by_label("User name").fill("grace")
    page.get_by_label("E-mail").fill("grace@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password again").fill(PASSWORD)
    page.get_by_role("button", name="Sign up", exact=True).click()
    expect(page).to_have_url(re.compile("/account/$"))
    page.locator(".reader > summary").click()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("link", name="Log in", exact=True)).to_be_visible()


def test_logging_in_takes_no_mouse(open_page: OpenPage) -> None:
    make_user()
    page = open_page("/about/")
    tab_to(page, ".reader-login")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Log in")
    tab_to(page, "[name=login]")
    page.keyboard.type("ada")
    page.keyboard.press("Tab")
    page.keyboard.type("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("do not belong together")
    tab_to(page, "[name=password]")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Your account")
    tab_to(page, ".reader > summary")
    page.keyboard.press("Enter")
    tab_to(page, ".reader button")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Log in", exact=True)).to_be_visible()


def test_account_pages_are_clean(open_page: OpenPage) -> None:
    make_user()
    page = open_page("/account/login/", color_scheme="light", reduced_motion="reduce")
    found: list[str] = []
    for path in OPEN:
        found += seen_on(page, f"/account/{path}")
    log_in(page)
    for path in CLOSED:
        found += seen_on(page, f"/account/{path}")
    page.goto("/account/2fa/app/on/")
    found += all_faults_of(page, "asked again")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("img", name="QR code")).to_be_visible()
    found += all_faults_of(page, "set up an app")
    page.get_by_label("Code").fill("no")
    page.get_by_role("button", name="Turn on").click()
    expect(page.get_by_label("Code")).to_have_attribute("aria-invalid", "true")
    found += all_faults_of(page, "wrong code")
    found += seen_on(page, "/account/delete/")
    page.goto("/about/")
    page.locator(".reader > summary").click()
    found += all_faults_of(page, "menu")
    assert not found, "\n".join(found)


def seen_on(page: Page, path: str) -> list[str]:
    """Open a page and look at it."""
    page.goto(path)
    return all_faults_of(page, path)


def tab_to(page: Page, selector: str, most: int = 60) -> None:
    """Press Tab until an element that matches has the focus."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"Tab never came to {selector}")
