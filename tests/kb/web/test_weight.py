"""What a first visit transfers: a page and everything it loads, each compressed as the web server sends it."""

import gzip
import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client

pytestmark = pytest.mark.django_db
MOST_BYTES, MOST_FONT_BYTES = 300_000, 110_000
LOADED = re.compile(r'<(?:link|script|img)\b[^>]*?\b(?:href|src)="/static/([^"]+)"')
PAGES = {
    "home": "/",
    "search": "/issues/?q=hang+in+ZeRO-3",
    "issue": "/issues/FB-000101",
    "node": "/codebook/house/symptom/hang",
    "playbook": "/playbooks/revert",
    "learn": "/learn/",
    "check": "/check/",
    "diagnose": "/diagnose/",
    "about": "/about/",
}


def assets(html: str) -> dict[str, int]:
    """The static files that a page loads, with their compressed sizes."""
    paths = {unquote(path) for path in LOADED.findall(html)}
    return {path: len(gzip.compress(Path(str(finders.find(path))).read_bytes(), 6)) for path in paths}


@pytest.mark.usefixtures("starter")
def test_a_first_visit_is_light(client: Client) -> None:
    heavy = {}
    for name, path in PAGES.items():
        html = client.get(path).content
        sizes = assets(html.decode())
        assert "css/bootstrap.min.css" in sizes
        assert any(path.startswith("fonts/") for path in sizes)
        total = len(gzip.compress(html, 6)) + sum(sizes.values())
        if total > MOST_BYTES:
            heavy[name] = total
    assert heavy == {}


def test_the_typeface_is_light(client: Client) -> None:
    fonts = {path: size for path, size in assets(client.get("/").content.decode()).items() if path.startswith("fonts/")}
    assert len(fonts) == 1
    assert sum(fonts.values()) <= MOST_FONT_BYTES


def test_what_is_preloaded_is_what_the_style_sheets_ask_for(client: Client) -> None:
    sheet = Path(str(finders.find("css/tokens.css"))).read_text()
    asked = {unquote(path) for path in re.findall(r'url\("\.\./(fonts/[^"]+)"\)', sheet)}
    assert asked == {path for path in assets(client.get("/").content.decode()) if path.startswith("fonts/")}


def test_the_web_server_says_that_it_is_a_font() -> None:
    # Else it is not compressed, and takes twice as long.
    assert settings.WHITENOISE_MIMETYPES == {".ttf": "font/ttf"}
