"""Frozen texts: safe, and every run of visible text knows its place in the text as it was written."""

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.web.work.frozen import render_body

RUN = re.compile(r'<span data-at="(\d+)"(?: data-to="(\d+)")?>([^<]*)</span>')
ODD = (
    "# Hi *you*\r\n> a &amp; \\* **b**\r\n> c [x](ab)b ![alt](http://x/y.png)\n\n|a|b|\n|-|-|\n|1 | `2`|\n\n- li\n\n"
    "      code\n\n```py\npy <unk>\n\tz\n```\n<b>q</b> a<br>z <https://a.b>\n<div>\nhey &lt; you\n<!-- not\nhere -->\n"
    "</div>\nÄ😀 end\n"
)


def runs(body: str) -> list[tuple[str, str]]:
    """Each run of text with what stands at its place in the raw text."""
    found = []
    for at, to, seen in RUN.findall(render_body(body)):
        text, start = unescape(seen), int(at)
        found.append((text, body[start : int(to) if to else start + len(text)]))
    return found


def test_every_run_says_where_it_stands() -> None:
    found = runs(ODD)
    assert [text for text, _ in found if text.strip()] == [
        "Hi ", "you", "a ", "&", "*", "b", "c ", "x", "b ", "a", "b", "1", "2", "li", "code", "py <unk>", "\tz", "q",
        " a", "z ", "https://a.b", "hey < you", "Ä😀 end",
    ]  # fmt: skip
    assert {text: raw for text, raw in found if text != raw} == {"&": "&amp;", "*": "\\*", "hey < you": "hey &lt; you"}


@given(st.lists(st.sampled_from([*ODD.split("\n"), "a", "a a", "[a](a)a", "`a`", "    a", "- a", "", "&amp;a"])))
def test_a_run_is_at_its_place_whatever_surrounds_it(lines: list[str]) -> None:
    body = "\n".join(lines)
    for text, raw in runs(body):
        assert raw in (text, raw if unescape(raw) == text or raw == f"\\{text}" else text)


@pytest.mark.parametrize(
    "attack",
    [
        "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[x](javascript:alert(1))",
        "<svg onload=alert(1)>",
        '<span data-at="0">forged</span>', "<style>body{}</style>", '<a href="http://x" onclick="a()">x</a>',
        "![x](http://tracker/p.png)", "<iframe src=http://x></iframe>",
    ],
)  # fmt: skip
def test_nothing_of_the_authors_markup_runs_loads_or_lies(attack: str) -> None:
    html = render_body(f"before {attack} after\n\n{attack}\n")
    assert not re.search(r'<(script|img|svg|style|iframe)|<[^>]*\son\w+=|href="javascript', html)
    assert all(text == raw for text, raw in runs(f"before {attack} after\n\n{attack}\n"))


def test_a_picture_is_a_link() -> None:
    assert '<a href="https://a.b/c.png"' in render_body('<img width="3" src="https://a.b/c.png">')
    assert "[image: smi]" in render_body("![smi](https://a.b/c.png)")


def test_long_code_folds_and_short_code_does_not() -> None:
    assert "<details" not in render_body("```\n" + "line\n" * 5 + "```\n")
    assert "Code or log, 30 lines" in render_body("```\n" + "line\n" * 30 + "```\n")


def test_the_authors_headings_stand_below_the_pages_own_without_a_gap() -> None:
    html = render_body("### a\n\n##### b\n\n# c\n\n#### d\n")
    assert re.findall(r"<h(\d)>", html) == ["2", "3", "2", "3"]
    assert re.findall(r"</h(\d)>", html) == ["2", "3", "2", "3"]
