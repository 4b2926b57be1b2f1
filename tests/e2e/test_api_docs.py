"""The page that documents the API: drawn by Swagger UI under our content policy, and usable by everybody."""

import gzip
import subprocess
import sys

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import RULES, faults_of
from tests.e2e.conftest import NARROW, OpenPage

pytestmark = pytest.mark.e2e


def opened(open_page: OpenPage) -> Page:
    page = open_page("/api/docs/", color_scheme="light", reduced_motion="reduce")
    # A megabyte and a half of script is read first.
    expect(page.locator(".opblock").first).to_be_visible(timeout=20_000)
    return page


def test_every_operation_is_drawn_under_the_content_policy(open_page: OpenPage) -> None:
    page = opened(open_page)
    description = page.request.get("/api/v1/openapi.json").json()
    policy = page.request.get("/api/docs/").headers["content-security-policy"]
    assert "unsafe" not in policy
    shown = page.locator(".opblock-summary-path").evaluate_all("all => all.map(one => one.dataset.path)")
    assert sorted(shown) == sorted(path for path, methods in description["paths"].items() for _ in methods)


def test_an_opened_operation_is_no_wider_than_a_phone(open_page: OpenPage) -> None:
    page = opened(open_page)
    page.set_viewport_size({"width": NARROW, "height": 844})
    page.get_by_role("button", name="Search issues").click()
    expect(page.locator(".responses-table").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW


def test_axe_finds_nothing_also_in_an_opened_operation(open_page: OpenPage) -> None:
    page = opened(open_page)
    found = in_both_themes(page, "closed")
    for operation in ("Search issues", "Diagnose a failed run"):
        page.get_by_role("button", name=operation).click()
        expect(page.locator(".opblock-body pre").first).to_be_visible()
        found += in_both_themes(page, operation)
        page.get_by_role("button", name=operation).click()
        expect(page.locator(".opblock-body")).to_have_count(0)
    assert not found, "\n".join(found)


def in_both_themes(page: Page, state: str) -> list[str]:
    return [f"{state}, {theme}: {fault}" for theme in RULES for fault in faults_of(page, theme)]


def test_the_quick_start_runs_as_it_stands(open_page: OpenPage, site: str) -> None:
    page = opened(open_page)
    program = page.locator("#quick-start").text_content() or ""
    assert f'"{site}/api/v1/issues/?"' in program
    assert len([line for line in program.splitlines() if line.strip()]) == 5
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    pages = [line for line in done.stdout.splitlines() if line.startswith(f"{site}/issues/")]
    assert len(pages) > 1
    assert page.request.get(pages[0]).ok


def test_it_is_light_enough_to_try(open_page: OpenPage) -> None:
    page = opened(open_page)
    loaded = page.evaluate("performance.getEntriesByType('resource').map(entry => new URL(entry.name).pathname)")
    parts = [page.request.get(path).body() for path in ["/api/docs/", *loaded]]
    assert sum(len(gzip.compress(part, 6)) for part in parts) < 700_000
