"""Fixtures for browser tests: a served site with real records, and pages that must stay free of errors."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest
from django.db import transaction
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from tests.e2e.browser import chromium, running_browser
from tests.e2e.labeling import OpenRound, log_in, make_hangs
from tests.support.engines import PutIssuesIn

OpenPage = Callable[..., Page]
WIDE, NARROW = 1440, 390
# What is not there, or not held, is answered so.
MISSING = ("/no-such-page", "/99999999", "/DeepSpeed/4036")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Name the records among what a test wants, where its site has them: so they stand until the next such test."""
    names = getattr(item, "fixturenames", [])
    if "made_index" in names and "open_round_page" not in names:
        names.append("starter")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all journeys."""
    path = chromium()
    if path is None:
        pytest.skip("needs Chromium: install it, or name it in CHROMIUM")
    with running_browser(path) as running:
        yield running


@pytest.fixture(scope="session")
def made_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the index of the starter knowledge base is kept once it is made: its rows have the same ids each time."""
    return tmp_path_factory.mktemp("starter") / "index"


@pytest.fixture
def site(
    request: pytest.FixtureRequest,
    live_server: LiveServer,
    search_index: PutIssuesIn,
    made_index: Path,
    settings: Settings,
) -> str:
    """The address of a served site with the starter knowledge base and its search index.

    A round to label (`open_round_page`) has issues of its own: the codebook is enough, and much sooner there.
    """
    if "open_round_page" in request.fixturenames:
        with transaction.atomic():
            request.getfixturevalue("codebook")
        return str(live_server.url)
    request.getfixturevalue("starter")
    if not made_index.exists():
        search_index()
        shutil.copytree(settings.SEARCH_INDEX_DIR, made_index)
    else:
        shutil.copytree(made_index, settings.SEARCH_INDEX_DIR)
    return str(live_server.url)


@pytest.fixture
def open_page(browser: Browser, site: str) -> Iterator[OpenPage]:
    """Open a page of the site in a context of its own. Errors in the console or the page fail the test."""
    contexts: list[BrowserContext] = []
    mistakes: list[str] = []
    is_closing = Event()

    def note(message: ConsoleMessage) -> None:
        missing_page = "404" in message.text and message.location["url"].endswith(MISSING)
        # A page that says what is wrong with its address says so to programs, too.
        mistaken = "400" in message.text and "state=opne" in message.location["url"]
        refused = "400" in message.text and message.location["url"].endswith("/diagnose/")
        # What was saved in another tab, or while the connection is taken away on purpose.
        not_saved = (
            message.location["url"].endswith(("/draft", "/time", "/quotation"))
            and "Failed to load resource" in message.text
        )
        # Closing or leaving a page ends its requests, which is no mistake of the page's. A request that fails otherwise
        # has a message of its own beside `afterRequest`.
        cut_off = message.text.startswith("htmx:" if is_closing.is_set() else ("htmx:sendAbort", "htmx:afterRequest"))
        if message.type in ("error", "warning") and not (missing_page or mistaken or refused or not_saved or cut_off):
            mistakes.append(f"{message.location['url']}: {message.text}")

    def open_one(path: str = "/", *, width: int = WIDE, **options: object) -> Page:
        context = browser.new_context(base_url=site, viewport={"width": width, "height": 900}, **options)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", note)
        page.on("pageerror", lambda error: mistakes.append(str(error)))
        page.goto(path)
        return page

    yield open_one
    is_closing.set()
    for context in contexts:
        context.close()
    assert mistakes == []


@pytest.fixture
def open_round_page(open_page: OpenPage, site: str) -> Iterator[OpenRound]:
    """Log ada in and open a round that waits for her."""
    make_hangs()
    opened: list[Page] = []

    def open_one(**options: object) -> Page:
        page = open_page("/account/login/", **options)
        opened.append(page)
        log_in(page)
        page.goto("/labeling/hangs/rounds/1/label/")
        return page

    yield open_one
    # A page that is closed sends its draft, which would meet a database that is being emptied.
    for page in [each for first in opened for each in first.context.pages]:
        if page.locator("html.js").count():
            page.evaluate("() => { navigator.sendBeacon = () => true }")
