"""Takes a picture of every page into screenshots/: wide and narrow, light and dark. Run it with `make screenshots`.

With `--docs` it takes only the first screen of the few pages that the docs show, into docs/img/.

The pages are served from throwaway servers with the starter knowledge base, a mirror of a made repository and the demo
project, so that pictures are the same anywhere.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypeVar
from wsgiref.simple_server import WSGIServer

from playwright.sync_api import Browser, Page, ViewportSize

from labeling.demo import SECOND, SLUG
from tests.e2e.addresses import PAGES
from tests.e2e.browser import chromium, running_browser
from tests.support.servers import Servers

Made = TypeVar("Made")
FOLDER = Path("screenshots")
SIZES = {1440: 1000, 390: 844}
# The pictures of the docs: who looks, and at which address; labeling leads to the issue that is reserved.
DOCS_FOLDER, DOCS_SIZE = Path("docs/img"), ViewportSize(width=1440, height=900)
FOR_DOCS = {
    "search": ("", PAGES["search"]),
    "issue": ("", PAGES["issue"]),
    "diagnosis": ("", PAGES["diagnose-example"]),
    "explore": ("", PAGES["explore"]),
    "labeling": (SECOND, f"/labeling/{SLUG}/rounds/1/label/"),
}
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


@contextmanager
def served_site() -> Iterator[str]:
    """The address of a site of its own with the starter knowledge base; everything is gone afterwards."""
    servers = Servers()
    try:
        servers.start()
        fill()
        server = start_web()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
    finally:
        servers.stop()


def fill() -> None:
    """Make the tables and load the records. The settings are read here, when the servers' addresses are known."""
    import django
    from django.core.management import call_command

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    for command in ("migrate", "load_codebook", "load_starter", "reindex"):
        call_command(command, verbosity=0)


def start_web() -> WSGIServer:
    """Serve pages and static files on a free port, in a thread."""
    from django.contrib.staticfiles.handlers import StaticFilesHandler
    from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
    from django.core.wsgi import get_wsgi_application

    class Quiet(WSGIRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: pages that are missing on purpose are among the pictures."""

    server = ThreadedWSGIServer(("127.0.0.1", 0), Quiet)
    server.set_app(StaticFilesHandler(get_wsgi_application()))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def take(browser: Browser, site: str, folder: Path) -> int:
    """Take all pictures; return how many."""
    from tests.e2e import demo_project

    taken = take_as("", PAGES, browser, site, folder) + take_mirror(browser, site, folder)
    for step in (demo_project.begin, demo_project.go_on):
        for account, pages in _beside(step).items():
            taken += take_as(account, pages, browser, site, folder)
    return taken


def take_for_docs(browser: Browser, site: str, folder: Path) -> int:
    """Take the pictures of the docs; return how many."""
    from tests.e2e import demo_project

    _beside(demo_project.begin)
    for name, (account, path) in FOR_DOCS.items():
        context = browser.new_context(base_url=site, viewport=DOCS_SIZE, color_scheme="light", reduced_motion="reduce")
        page = context.new_page()
        if account:
            log_in(page, account)
        page.goto(path)
        page.wait_for_load_state("networkidle")
        page.screenshot(path=folder / f"{name}.png")
        context.close()
    return len(FOR_DOCS)


def take_mirror(browser: Browser, site: str, folder: Path) -> int:
    """Take pictures of a mirror's pages while it is read for the first time, and afterwards; return how many."""
    from tests.e2e.reading import READ, WHILE_READ, begin_reading, finish_reading, served_world

    with served_world() as world:
        reading = _beside(lambda: begin_reading(world))
        taken = take_as("", WHILE_READ, browser, site, folder)
        _beside(lambda: finish_reading(reading))
        return taken + take_as("", READ, browser, site, folder)


def _beside(step: Callable[[], Made]) -> Made:
    """Do something beside the browser's event loop, where Django refuses to ask the database."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(step).result()


def take_as(account: str, pages: Mapping[str, str], browser: Browser, site: str, folder: Path) -> int:
    """Take pictures of pages (name -> address) in every size and theme, logged in with an account or not at all."""
    for theme in THEMES:
        for width, height in SIZES.items():
            context = browser.new_context(
                base_url=site, viewport={"width": width, "height": height}, color_scheme=theme, reduced_motion="reduce"
            )
            page = context.new_page()
            if account:
                log_in(page, account)
            for name, path in pages.items():
                page.goto(path)
                page.wait_for_load_state("networkidle")
                file = "-".join(filter(None, (account, name, str(width), theme)))
                page.screenshot(path=folder / f"{file}.png", full_page=True)
            context.close()
    return len(pages) * len(THEMES) * len(SIZES)


def log_in(page: Page, account: str) -> None:
    """Log in with an account of the demo project."""
    from tests.e2e.demo_project import PASSWORD

    page.goto("/account/login/")
    page.get_by_label("User name or e-mail").fill(account)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()
    page.wait_for_url(lambda address: "/login" not in address)


def main() -> int:
    """Take the pictures, or say what is missing."""
    path = chromium()
    if path is None:
        print("Pictures need Chromium: install it, or name it in CHROMIUM.", file=sys.stderr)  # noqa: T201
        return 1
    folder, taken = (DOCS_FOLDER, take_for_docs) if "--docs" in sys.argv else (FOLDER, take)
    folder.mkdir(exist_ok=True)
    with served_site() as site, running_browser(path) as browser:
        print(f"{taken(browser, site, folder)} pictures are in {folder}/")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
