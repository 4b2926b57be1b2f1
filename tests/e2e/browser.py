"""The browser: the system's Chromium, with nothing that talks to the outside."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

# The same engine without windows comes first: what a whole browser draws around a page takes a quarter of the time.
CHROMIUMS = ("chromium-headless-shell", "chromium", "/usr/bin/chromium")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def chromium() -> str | None:
    """Where the browser is: CHROMIUM names it, else it is looked for; None when there is none."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUMS)), None)


@contextmanager
def running_browser(path: str) -> Iterator[Browser]:
    """A browser that is gone afterwards."""
    # Playwright keeps a loop running in this thread, which Django would otherwise take for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()
