"""Each page loads the style sheets of the classes it uses; none is so long that it should be split."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEMPLATES, SHEETS = ROOT / "templates", ROOT / "static" / "css"
PAGES = [path for path in sorted(TEMPLATES.rglob("[a-z]*.html")) if "{% block head %}" in path.read_text()]


@cache
def classes_of(sheet: str) -> frozenset[str]:
    """The classes that a sheet has rules for."""
    rules = re.sub(r"/\*.*?\*/", "", (SHEETS / sheet).read_text(), flags=re.DOTALL)
    return frozenset(re.findall(r"\.([a-z][\w-]*)", rules))


def sheets_of(template: Path) -> set[str]:
    """The sheets of our own that a template loads."""
    named = re.findall(r"css/([a-z-]+\.css)", template.read_text())
    return {name for name in named if (SHEETS / name).exists()}


def included_by(template: Path, seen: set[Path]) -> set[Path]:
    """The template and everything it includes."""
    if template not in seen:
        seen.add(template)
        for name in re.findall(r'include "([^"]+)"', template.read_text()):
            included_by(TEMPLATES / name, seen)
    return seen


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_loads_the_sheets_of_its_classes(page: Path) -> None:
    parts = included_by(page, set())
    loaded = set().union(*map(sheets_of, parts)) | sheets_of(TEMPLATES / "base.html")
    styled = frozenset().union(*map(classes_of, loaded))
    elsewhere = frozenset().union(*(classes_of(path.name) for path in SHEETS.glob("*.css"))) - styled
    html = " ".join(part.read_text() for part in parts)
    used = {name for value in re.findall(r'class="([^"]*)"', html) for name in re.sub(r"{.*?}", " ", value).split()}
    assert used & elsewhere == set()


def test_no_sheet_is_long() -> None:
    assert [path.name for path in SHEETS.glob("*.css") if len(path.read_text().splitlines()) >= 300] == []
