"""The playbooks: what to do, how large such fixes are, and the real ones."""

from html.parser import HTMLParser
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from kb.models import Fix, Kind, Node, Playbook
from kb.selectors.playbooks import fix_sizes, fixes_of, sizes_of
from kb.web.markdown import TAGS, render
from tests.factories import make_axis, make_fix, make_issue, make_label, make_node, make_repository

pytestmark = pytest.mark.django_db
MOST_QUERIES = 12


@pytest.fixture
def pattern() -> Node:
    """Coordinate, with one finer pattern and a playbook each."""
    axis = make_axis("fix_pattern")
    top = make_node("coordination", axis=axis, name="Make ranks agree", position=0)
    finer = make_node("barrier", axis=axis, parent=top, name="Add a barrier", position=1)
    for node in (top, finer):
        Playbook.objects.create(
            node=node, applies_when=f"When {node.code}.", steps=["Look at `rank 0`.", "Then act."], caveats=["Beware."]
        )
    return top


def fixed(node: Node, *, additions: int | None = None, **fields: Any) -> Fix:
    """A fix of an issue that carries the pattern."""
    fix = make_fix(additions=additions, deletions=None if additions is None else 0, **fields)
    issue = make_issue(heading=f"Heading {fix.pk}.")
    make_label(issue, node)
    issue.fixes.add(fix)
    return fix


class Foreign(HTMLParser):
    """Collects the tags and attributes that Markdown does not make."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [tag] if tag not in TAGS else []
        self.found += [
            f"{name}={value}"
            for name, value in attrs
            if name not in ("class", "rel", "tabindex") and not (name == "href" and (value or "").startswith("http"))
        ]


def foreign(html: str) -> list[str]:
    parser = Foreign()
    parser.feed(html)
    return parser.found


def words(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


class TestPage:
    @pytest.mark.usefixtures("pattern")
    def test_says_when_it_applies_what_to_do_and_what_to_beware_of(self, client: Client) -> None:
        html = words(client, "/playbooks/coordination")
        for text in ("When coordination.", "<code>rank 0</code>", "Then act.", "Beware."):
            assert text in html

    def test_shows_the_real_fixes_with_their_issues_and_frameworks(self, client: Client, pattern: Node) -> None:
        fix = fixed(pattern, additions=12, merged_on="2024-05-01", description="Every rank waits.")
        html = words(client, "/playbooks/coordination")
        for text in (
            fix.url,
            fix.short_name,
            "12 changed lines",
            "1 May 2024",
            "Every rank waits.",
            "Heading",
            "Deepspeed",
        ):
            assert text in html

    def test_a_finer_patterns_fixes_count_for_its_group(self, client: Client, pattern: Node) -> None:
        fix = fixed(Node.objects.get(code="barrier"))
        assert fix.url in words(client, "/playbooks/coordination")
        assert list(fixes_of(node=pattern)) == [fix]

    def test_a_fix_of_two_issues_is_listed_once_with_both(self, client: Client, pattern: Node) -> None:
        fix = fixed(pattern)
        second = make_issue(heading="The second.", repository=make_repository("vllm-project/vllm", "vllm"))
        make_label(second, pattern)
        second.fixes.add(fix)
        html = words(client, "/playbooks/coordination")
        assert html.count(f'href="{fix.url}"') == 1
        assert "The second." in html
        assert "Vllm" in html

    def test_issues_without_the_pattern_are_not_shown_beside_a_shared_fix(self, client: Client, pattern: Node) -> None:
        make_issue(heading="Another story.").fixes.add(fixed(pattern))
        assert "Another story." not in words(client, "/playbooks/coordination")

    @pytest.mark.parametrize("code", ["nope", "hang"])
    def test_what_is_no_fix_pattern_has_no_playbook(self, client: Client, pattern: Node, code: str) -> None:
        make_node("hang")
        assert client.get(f"/playbooks/{code}").status_code == 404
        assert pattern

    def test_a_retired_patterns_page_stays(self, client: Client, pattern: Node) -> None:
        Node.objects.filter(pk=pattern.pk).update(status=Node.Status.RETIRED)
        assert "retired" in words(client, "/playbooks/coordination")
        assert "/playbooks/coordination" not in words(client, "/playbooks/")


class TestSizes:
    def test_the_median_and_the_small_share_stand_with_n_and_interval(self, client: Client, pattern: Node) -> None:
        for lines in (2, 10, 11, 40):
            fixed(pattern, additions=lines)
        fixed(pattern)
        html = words(client, "/playbooks/coordination")
        assert "median <strong>10.5 changed lines</strong> (n = 4 fixes of known size)" in html
        assert "2 of 4 change at most 10 lines: 50 % (95 % interval 15–85 %); only 4 fixes: says little." in html
        assert "Size not known for 1 more." in html

    def test_unknown_sizes_are_said_to_be_unknown(self, client: Client, pattern: Node) -> None:
        fixed(pattern)
        html = words(client, "/playbooks/coordination")
        assert "size not known for it" in html
        assert "median" not in html

    @pytest.mark.usefixtures("pattern")
    def test_no_fix_is_said_to_be_none(self, client: Client) -> None:
        assert "No real fix is linked yet" in words(client, "/playbooks/coordination")

    def test_pull_requests_labelled_as_such_are_left_out(self, pattern: Node) -> None:
        issue = make_issue(kind=Kind.PULL_REQUEST)
        make_label(issue, pattern)
        issue.fixes.add(make_fix(additions=1, deletions=1))
        assert fix_sizes() == {}
        assert not fixes_of(node=pattern).exists()

    @pytest.mark.usefixtures("starter")
    def test_the_list_and_the_page_agree_for_every_pattern(self) -> None:
        listed = fix_sizes()
        for node in Node.objects.house().filter(axis__code="fix_pattern"):
            sizes = sizes_of(fixes_of(node=node).values_list("lines_changed", "is_small"))
            assert sizes == listed.get(node.pk, sizes_of([]))

    @given(st.lists(st.integers(0, 5000) | st.none()))
    def test_every_fix_is_counted_as_known_or_unknown(self, lines: list[int | None]) -> None:
        sizes = sizes_of((n, None if n is None else n <= 10) for n in lines)
        known = sorted(n for n in lines if n is not None)
        assert sizes.known + sizes.unknown == sizes.fixes == len(lines)
        assert sizes.small == sum(n <= 10 for n in known)
        assert (sizes.median_lines is None) == (not known)
        if sizes.median_lines is not None:
            assert known[0] <= sizes.median_lines <= known[-1]


class TestMarkdown:
    def test_code_keeps_its_lines(self) -> None:
        html = render("```diff\n-a\n+b\n```")
        assert '<code class="language-diff">-a\n+b\n</code>' in html

    @pytest.mark.parametrize(
        "text",
        [
            "<script>alert(1)</script>", "[x](javascript:alert(1))", "<img src=x onerror=alert(1)>",
            "![x](https://example.org/x.png)", '<a href="https://example.org" onclick="x()">x</a>',
            "[x](data:text/html;base64,AAAA)", "<style>*{}</style>",
        ],
    )  # fmt: skip
    def test_nothing_that_runs_or_loads_gets_through(self, text: str) -> None:
        assert foreign(render(text)) == []

    @given(st.text())
    def test_any_text_comes_out_as_plain_markup(self, text: str) -> None:
        assert foreign(render(text)) == []


class TestList:
    def test_finer_patterns_stand_with_their_group_and_their_counts(self, client: Client, pattern: Node) -> None:
        fixed(Node.objects.get(code="barrier"), additions=3)
        (group,) = client.get("/playbooks/").context["groups"]
        assert group["head"]["playbook"].node == pattern
        assert [row["playbook"].node.code for row in group["rows"]] == ["barrier"]
        assert [(row["issues"], row["sizes"].sizes.fixes) for row in (group["head"], *group["rows"])] == [
            (1, 1),
            (1, 1),
        ]

    def test_an_empty_knowledge_base_says_what_to_do(self, client: Client) -> None:
        make_node("hang")
        assert "load_codebook" in words(client, "/playbooks/")


@pytest.mark.usefixtures("starter")
@pytest.mark.parametrize("path", ["/playbooks/", "/playbooks/coordination", "/playbooks/add-guard"])
def test_takes_few_queries(client: Client, path: str) -> None:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path).status_code == 200
    assert len(queries) <= MOST_QUERIES
