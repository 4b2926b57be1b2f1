"""A browser's name and system in words, from the string it sends: enough to recognise one's own, no more."""

import re

# In this order: browsers built on another also carry that one's name, and phones that of the system they grew from.
BROWSERS = (
    ("Edge", r"Edg(e|A|iOS)?/"),
    ("Opera", r"OPR/|Opera"),
    ("Samsung Internet", r"SamsungBrowser/"),
    ("Firefox", r"Firefox/|FxiOS/"),
    ("Chrome", r"Chrome/|CriOS/|Chromium/"),
    ("Safari", r"Safari/"),
)
SYSTEMS = (
    ("Android", r"Android"),
    ("iPhone", r"iPhone"),
    ("iPad", r"iPad"),
    ("Windows", r"Windows"),
    ("macOS", r"Mac OS X|Macintosh"),
    ("ChromeOS", r"CrOS"),
    ("Linux", r"Linux|X11"),
)


def browser_name(user_agent: str) -> str:
    """For example “Firefox on Windows”; what names no known browser is shown as it is."""
    browser = _first(BROWSERS, user_agent)
    system = _first(SYSTEMS, user_agent)
    if not browser:
        return user_agent or "a browser that does not name itself"
    return f"{browser} on {system}" if system else browser


def _first(names: tuple[tuple[str, str], ...], user_agent: str) -> str:
    return next((name for name, pattern in names if re.search(pattern, user_agent)), "")
