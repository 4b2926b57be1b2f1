"""The pages of a mirror in a browser, while it is read for the first time from a double of GitHub and afterwards."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from tests.e2e.axe import all_faults_of
from tests.e2e.conftest import OpenPage
from tests.e2e.reading import READ, WHILE_READ, Reading, begin_reading, finish_reading, rich_issue, served_world
from tests.support.engines import PutIssuesIn

pytestmark = pytest.mark.e2e


@pytest.fixture
def begin(site: str) -> Iterator[Callable[[], Reading]]:
    """Begin to read the repository of a double."""
    begun: list[Reading] = []
    with served_world() as world:

        def begin() -> Reading:
            begun.append(begin_reading(world))
            return begun[-1]

        yield begin
        for reading in begun:
            reading.end()


def test_a_first_reading_is_followed_to_its_end(open_page: OpenPage, begin: Callable[[], Reading]) -> None:
    reading = begin()
    page = open_page("/status/")
    expect(page.get_by_role("progressbar")).to_be_visible()
    expect(page.locator("#mirrors")).to_contain_text("of 300 issues and pull requests")
    expect(page.locator("#mirrors")).to_contain_text("Being read for the first time")
    reading.end()
    expect(page.locator("#mirrors")).to_contain_text("Up to date")
    expect(page.locator("#mirrors")).to_contain_text("260 issues")
    expect(page.locator("#mirrors")).not_to_have_attribute("hx-trigger", "every 2s")


def test_the_page_works_without_javascript(open_page: OpenPage, begin: Callable[[], Reading]) -> None:
    reading = begin()
    page = open_page("/status/", java_script_enabled=False)
    expect(page.locator("#mirrors")).to_contain_text("Being read for the first time")
    reading.end()
    page.reload()
    expect(page.locator("#mirrors")).to_contain_text("Up to date")


def test_the_pages_of_a_mirror_are_clean_while_it_is_read(open_page: OpenPage, begin: Callable[[], Reading]) -> None:
    begin()
    found: list[str] = []
    page = open_page("/status/", color_scheme="light", reduced_motion="reduce")
    for name, path in WHILE_READ.items():
        page.goto(path)
        expect(page.get_by_role("progressbar")).to_be_visible()
        found += all_faults_of(page, name)
    assert not found, "\n".join(found)


def test_the_pages_of_a_mirror_are_clean(
    open_page: OpenPage, begin: Callable[[], Reading], search_index: PutIssuesIn
) -> None:
    finish_reading(begin())
    search_index()
    found: list[str] = []
    page = open_page("/status/", color_scheme="light", reduced_motion="reduce")
    for name, path in READ.items():
        page.goto(path)
        found += all_faults_of(page, name)
    assert not found, "\n".join(found)


def test_a_mirrored_issue_shows_what_was_said_what_closed_it_and_what_rules_suggest(
    open_page: OpenPage, begin: Callable[[], Reading]
) -> None:
    finish_reading(begin())
    page = open_page(rich_issue().get_absolute_url())
    expect(page.get_by_role("heading", level=1)).to_have_text("[Bug]: training with LoRA hangs on two nodes")
    expect(page.locator(".thread .comment")).to_have_count(5)
    expect(page.locator(".thread").get_by_role("heading")).to_have_text(["What to try", "If that helps"])
    expect(page.locator(".fixes")).to_contain_text("octo/engine")
    expect(page.get_by_role("list", name="Linked, but no fix")).to_contain_text("given up")
    expect(page.get_by_role("region", name="Suggestions as a table")).to_contain_text("The title says “LoRA”.")
