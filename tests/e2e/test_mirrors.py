"""The status page in a browser while a mirror is read for the first time from a double of GitHub."""

import threading
from collections.abc import Callable, Iterator

import pytest
from django.db import connection
from playwright.sync_api import expect
from pytest_django import Settings

from ingest.connections import connect
from ingest.models import LeftOut, Mirror
from ingest.services.mirrors import add_mirror
from ingest.sync.mirroring import bring_up_to_date
from ingest.sync.session import Progress
from tests.e2e.axe import RULES, faults_of
from tests.e2e.conftest import NARROW, WIDE, OpenPage
from tests.github_double import GitHubDouble, World

pytestmark = pytest.mark.e2e
MIRROR = "/status/github.com/octo/engine/"
PAGES = ("/status/", MIRROR, f"{MIRROR}kept/", f"{MIRROR}left-out/", "/issues/github.com/octo/engine/{ref}")


class Reading:
    """A first reading in a thread of its own, which stands still after its first page until it may go on."""

    def __init__(self, mirror: Mirror) -> None:
        self._mirror = mirror
        self.has_begun, self.may_go_on = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            bring_up_to_date(mirror=self._mirror, host=connect(repository=self._mirror.repository), tell=self._tell)
        finally:
            connection.close()

    def _tell(self, _progress: Progress) -> None:
        self.has_begun.set()
        self.may_go_on.wait(60)

    def end(self) -> None:
        """Let it go on, and wait for its end."""
        self.may_go_on.set()
        self._thread.join(60)
        assert not self._thread.is_alive()


@pytest.fixture
def begin(settings: Settings, site: str) -> Iterator[Callable[[], Reading]]:
    """Begin to read the repository of a double."""
    world = World.generate(issues=260, pulls=40, comments=600, seed=5)
    begun: list[Reading] = []
    with GitHubDouble(world) as double:
        settings.GITHUB_API_URL, settings.GITHUB_GRAPHQL_URL = double.api_url, double.graphql_url
        settings.GITHUB_TOKENS = ["one-token"]

        def begin() -> Reading:
            mirror, _ = add_mirror(url=f"https://github.com/{world.repository.full_name}")
            begun.append(Reading(mirror))
            assert begun[-1].has_begun.wait(60)
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


def test_the_pages_of_a_mirror_are_clean(open_page: OpenPage, begin: Callable[[], Reading]) -> None:
    begin().end()
    mirror = Mirror.objects.get()
    LeftOut.objects.create(mirror=mirror, ref="9000", kind="issue", title="Wrong gradient of a convolution")
    issue = mirror.repository.issues.filter(kind="issue", comment_count__gte=4).earliest("pk")
    found: list[str] = []
    page = open_page("/status/", color_scheme="light", reduced_motion="reduce")
    for path in PAGES:
        page.goto(path.format(ref=issue.ref))
        for width in (WIDE, NARROW):
            page.set_viewport_size({"width": width, "height": 900})
            for theme in RULES:
                found += [f"{path}, {width}, {theme}: {fault}" for fault in faults_of(page, theme)]
            wide = page.evaluate("document.documentElement.scrollWidth")
            found += [f"{path}: {wide} px wide on a screen of {width} px"] if wide > width else []
    assert not found, "\n".join(found)
