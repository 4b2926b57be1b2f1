"""The main navigation: five sections, the present one marked, and the way into Learn."""

import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from kb.models import Kind
from kb.selectors import overview
from kb.web.navigation import LEARNING, SECTIONS, main_navigation
from tests.kb.web.reading import visit
from tests.support.factories import make_axis, make_fix, make_issue, make_label, make_node, make_study

pytestmark = pytest.mark.django_db
ENTRY = re.compile(r'<a href="([^"]*)"\s*(?:aria-current="(page|true)")?>([^<]*)</a>')


def entries(client: Client, url: str, name: str) -> list[tuple[str, str, str]]:
    """The links of a navigation: address, mark and text."""
    html = client.get(url).content.decode()
    navigation = html.partition(f'aria-label="{name}"')[2].partition("</nav>")[0]
    return ENTRY.findall(navigation)


def test_has_five_sections(client: Client) -> None:
    names = [text for _, _, text in entries(client, "/", "Main")]
    assert names == ["Search", "Diagnose", "Explore", "Learn", "About"]


@pytest.mark.parametrize("section", SECTIONS + LEARNING, ids=lambda section: section.name)
def test_every_address_of_a_section_marks_it(section: tuple[str, str, tuple[str, ...]]) -> None:
    for prefix in section[2]:
        for path in (prefix, f"{prefix}anything/below"):
            assert [entry.name for entry in main_navigation(path) if entry.current] == [
                known.name for known in SECTIONS if prefix in known.prefixes
            ]


@pytest.mark.parametrize("url", ["/issues/", "/diagnose/", "/explore/", "/learn/", "/about/"])
def test_a_section_marks_its_own_page(client: Client, url: str) -> None:
    assert [(href, mark) for href, mark, _ in entries(client, url, "Main") if mark] == [(url, "page")]


@pytest.mark.usefixtures("codebook")
@pytest.mark.parametrize("url", ["/playbooks/", "/codebook/", "/studies/"])
def test_the_pages_of_learn_keep_their_addresses(client: Client, url: str) -> None:
    assert [(href, mark) for href, mark, _ in entries(client, url, "Main") if mark] == [("/learn/", "true")]
    assert [(href, mark) for href, mark, _ in entries(client, url, "Learn") if mark] == [(url, "page")]


@pytest.mark.parametrize("url", ["/", "/status/", "/account/login/"])
def test_a_page_of_no_section_marks_none(client: Client, url: str) -> None:
    assert [mark for _, mark, _ in entries(client, url, "Main") if mark] == []


class TestLearn:
    def test_counts_what_there_is(self) -> None:
        node = make_node("guard", axis=make_axis("fix_pattern"))
        issue, second = make_issue(kind=Kind.ISSUE), make_issue(kind=Kind.ISSUE)
        pull = make_issue(kind=Kind.PULL_REQUEST)
        for labelled in (issue, second, pull):
            make_label(labelled, node)
            labelled.fixes.add(make_fix())
        make_study("p1", year=2021)
        make_study("p2", year=2024)
        library = overview.library()
        assert (library.pattern_issues, library.pattern_fixes) == (2, 2)
        assert (library.axes, library.nodes) == (1, 1)
        assert (library.studies, library.imported_studies) == (2, 0)
        assert (library.first_year, library.last_year) == (2021, 2024)

    def test_says_so_when_nothing_is_loaded(self, client: Client) -> None:
        words = visit(client, "/learn/").words
        assert words.count("loaded yet") == 3

    @pytest.mark.usefixtures("codebook")
    def test_names_each_part_with_its_numbers(
        self, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        with django_assert_max_num_queries(10):
            words = visit(client, "/learn/").words
        library = overview.library()
        assert f"categories {library.nodes}" in words
        assert f"version {library.version}" in words
        assert f"{library.first_year}–{library.last_year}" in words
