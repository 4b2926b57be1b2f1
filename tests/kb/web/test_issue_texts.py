"""How an issue's texts are shown, mirrored ones and those of a record; how it is cited, and its old addresses."""

import datetime as dt
import json
import re

import pytest
from django.test import Client

from kb.exports import citations
from kb.models import Issue, RepositoryAlias
from kb.web.markup import mirrored
from tests.kb.web.reading import visit
from tests.support.factories import make_fix, make_issue, make_label, make_node
from tests.support.growth import MOST, growth

pytestmark = pytest.mark.django_db


class TestMirroredText:
    def test_is_behind_a_click_when_we_described_the_issue(self, client: Client) -> None:
        for ref, summary, is_open in ((1, "It fails.", False), (2, "", True)):
            html = client.get(make_issue(ref, summary=summary, body="Text").get_absolute_url()).content.decode()
            assert bool(re.search(r'<details class="original"\s+open', html)) is is_open

    def test_is_read_as_markdown(self, client: Client) -> None:
        issue = make_issue(1, body="## Steps\n\n```\ntrain.py --stage 3\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |")
        html = client.get(issue.get_absolute_url()).content.decode().split("<details")[1]
        assert "<h3>Steps</h3>" in html
        assert '<pre tabindex="0"><code>train.py --stage 3' in html
        assert "<td>1</td>" in html

    @pytest.mark.parametrize(
        "body",
        [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "[x](javascript:alert(1))",
            "<a href='javascript:alert(1)'>x</a>",
            "![x](javascript:alert(1))",
            '<svg onload="alert(1)">',
            "<style>*{display:none}</style>",
            "<iframe src='https://example.org'></iframe>",
            "<details open ontoggle=alert(1)>",
            "`<script>alert(1)</script>`",
            "<<script>script>alert(1)<</script>/script>",
        ],
    )
    def test_runs_nothing(self, body: str) -> None:
        html = str(mirrored.render(f"Before {body} after\n\n{body}\n").html)
        for part in ("<script", "<img", "<svg", "<style", "<iframe", "<details", 'href="javascript', " on"):
            assert part not in html.lower()

    @pytest.mark.parametrize("body", ["### Bug\n\n##### Log\n\n## Versions", "Bug\n===\n\n## Log\n\n# Versions"])
    def test_has_its_headings_below_the_pages_whatever_levels_its_author_chose(self, body: str) -> None:
        assert re.findall(r"<(h\d)>(\w+)</\1>", mirrored.render(body).html) == [
            ("h3", "Bug"), ("h4", "Log"), ("h3", "Versions")
        ]  # fmt: skip

    def test_shows_pictures_as_links_and_drops_comments(self) -> None:
        html = str(
            mirrored.render('![trace](https://e.org/a.png) <img width=9 src="https://e.org/b.png"> <!-- x -->').html
        )
        assert 'href="https://e.org/a.png"' in html
        assert "[image: trace]" in html
        assert 'href="https://e.org/b.png"' in html
        assert "<!--" not in html

    def test_a_text_made_to_take_long_does_not(self) -> None:
        assert growth(lambda size: mirrored.render("<div>\n" + "<img " * size), 4_000) < MOST

    def test_a_very_long_text_is_cut_and_says_so(self, client: Client) -> None:
        words = visit(client, make_issue(1, body="log line\n" * 7_000).get_absolute_url()).words
        assert "43,000 more characters are left out" in words


def test_code_of_a_records_texts_can_be_copied(client: Client) -> None:
    issue = make_issue(1, summary="x", resolution="Start with `--fast-path off`.", workaround="Set A_B=1, or `a: b`.")
    html = client.get(issue.get_absolute_url()).content.decode()
    copied = {part.split('"')[0] for part in html.split('data-copies="')[1:]}
    texts = dict(re.findall(r'<code id="([\w-]+)">([^<]*)</code>', html))
    assert {"fix-code-1": "--fast-path off", "workaround-code-1": "A_B=1"}.items() <= texts.items()
    assert copied <= texts.keys() | {"citation-text"}, texts


def test_what_a_record_has_between_backticks_is_code_and_the_rest_is_text(client: Client) -> None:
    html = client.get(make_issue(1, heading="x", summary="Start with `--a <b>`, not `c.").get_absolute_url()).content
    assert b"Start with <code>--a &lt;b&gt;</code>, not `c." in html


def test_texts_of_a_record_come_out_as_text(client: Client) -> None:
    xss = "<script>alert(1)</script>"
    issue = make_issue(
        1, heading=xss, title=xss, summary=xss, recognise=[xss], resolution=xss, workaround=xss, read_extent=xss,
        affected_versions=[xss], fixed_version=xss, host_labels=[xss],
    )  # fmt: skip
    make_label(issue, make_node("x", name=xss, definition='" onmouseover="alert(1)'), reason=xss)
    issue.fixes.add(make_fix(description=xss))
    for path in (issue.get_absolute_url(), issue.get_absolute_url() + "/cite", "/", "/issues/?q=script"):
        assert xss not in client.get(path).content.decode()
        assert not visit(client, path).inline


class TestAddresses:
    def test_an_old_name_of_the_repository_leads_here_for_ever(self, client: Client) -> None:
        issue = make_issue(5030)
        RepositoryAlias.objects.create(repository=issue.repository, host="github.com", full_name="microsoft/DeepSpeed")
        response = client.get("/issues/github.com/microsoft/DeepSpeed/5030")
        assert (response.status_code, response.headers["Location"]) == (301, issue.get_absolute_url())

    def test_another_spelling_leads_here_too(self, client: Client) -> None:
        issue = make_issue(5030)
        response = client.get("/issues/github.com/DEEPSPEEDAI/deepspeed/5030")
        assert (response.status_code, response.headers["Location"]) == (301, issue.get_absolute_url())

    def test_a_citation_moves_along_and_keeps_its_format(self, client: Client) -> None:
        issue = make_issue(5030)
        RepositoryAlias.objects.create(repository=issue.repository, host="github.com", full_name="microsoft/DeepSpeed")
        response = client.get("/issues/github.com/microsoft/DeepSpeed/5030/cite?format=bibtex")
        assert (response.status_code, response.headers["Location"]) == (
            301,
            f"{issue.get_absolute_url()}/cite?format=bibtex",
        )

    def test_an_unknown_issue_offers_the_original(self, client: Client) -> None:
        page = visit(client, "/issues/github.com/a/b/7", status=404)
        assert "https://github.com/a/b/issues/7" in page.links


class TestCitation:
    @pytest.fixture
    def described(self) -> Issue:
        """An issue that was read on a known day."""
        return make_issue(5030, heading="Ranks wait for ever after a rework", read_on=dt.date(2026, 11, 21))

    def test_is_shown_as_a_sentence_and_as_bibtex(self, client: Client, described: Issue) -> None:
        words = visit(client, described.get_absolute_url() + "/cite").words
        assert "“Ranks wait for ever after a rework” (DeepSpeed#5030), record of 21 November 2026." in words
        assert "@misc{faultbook-deepspeedai-deepspeed-5030," in words

    def test_is_a_file_for_other_tools(self, client: Client, described: Issue) -> None:
        bibtex = client.get(described.get_absolute_url() + "/cite?format=bibtex")
        assert bibtex.headers["Content-Disposition"].endswith('5030.bib"')
        [csl] = json.loads(client.get(described.get_absolute_url() + "/cite?format=csl").content)
        assert csl["URL"] == f"http://testserver{described.get_absolute_url()}"
        assert csl["issued"] == {"date-parts": [[2026, 11, 21]]}

    def test_in_bibtex_survives_every_sign(self) -> None:
        item = citations.Item(key="k", title="50 % of {a_b} & \\c #1", page_url="https://e.org/a}b c")
        entry = citations.bibtex(item, accessed=dt.date(2026, 1, 2))
        assert r"50 \% of \{a\_b\} \& \textbackslash{}c \#1" in entry
        assert r"\url{https://e.org/a%7Db%20c}" in entry

    def test_of_an_unknown_issue_is_not_found(self, client: Client) -> None:
        visit(client, "/issues/github.com/a/b/7/cite", status=404)
