"""The playbooks: what to do, how large such fixes are, and the real ones."""

import re
from html import unescape
from html.parser import HTMLParser
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from kb.models import Fix, Kind, Node, Playbook, Source
from kb.selectors.codebook import labelled_issues
from kb.selectors.fix_patterns import PatternCount, PatternFacts, pattern_counts, pattern_facts
from kb.selectors.playbooks import real_fixes
from kb.web.explore.playbooks import PER_PAGE
from kb.web.explore.sides import sides
from kb.web.markdown import TAGS, render
from tests.factories import make_axis, make_fix, make_issue, make_label, make_node, make_repository, make_source

pytestmark = pytest.mark.django_db
MOST_QUERIES = 9


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
    return evened(response)


def evened(response: Any) -> str:
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
        assert pattern_facts(node=pattern).count.fixes == ((fix.pk, None, None),)

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
        assert "median <strong>10.5 changed lines</strong> (too few for an interval; n = 4 fixes of known size)" in html
        assert "2 of 4 change at most 10 lines: 50 % (95 % interval 15–85 %); only 4 fixes: says little." in html
        assert "Size not known for 1 more." in html

    def test_six_sizes_have_an_interval_and_stand_on_their_steps(self, client: Client, pattern: Node) -> None:
        for lines in (1, 2, 4, 12, 300, 2_000):
            fixed(pattern, additions=lines, files_changed=1 if lines < 12 else 3)
        response = client.get("/playbooks/coordination")
        assert "median <strong>8 changed lines</strong> (95 % interval 1–2,000; n = 6" in evened(response)
        lines, files = response.context["distributions"]
        assert {bar.name: bar.count for bar in lines.bars if bar.count} == {
            "1–2": 2, "3–5": 1, "11–20": 1, "201–500": 1, "over 1,000": 1,
        }  # fmt: skip
        assert [(bar.name, bar.count, bar.share) for bar in files.bars if bar.count] == [
            ("1", 3, "50 %"),
            ("3–5", 3, "50 %"),
        ]
        assert max(bar.width for bar in lines.bars) == 100

    def test_unknown_sizes_are_said_to_be_unknown(self, client: Client, pattern: Node) -> None:
        fixed(pattern)
        html = words(client, "/playbooks/coordination")
        assert "size not known for it" in html
        assert "median" not in html

    @pytest.mark.usefixtures("pattern")
    def test_no_fix_is_said_to_be_none(self, client: Client) -> None:
        html = words(client, "/playbooks/coordination")
        assert "No real fix is linked yet" in html
        assert "No issue carries this pattern yet." in html

    def test_pull_requests_labelled_as_such_are_left_out(self, pattern: Node) -> None:
        issue = make_issue(kind=Kind.PULL_REQUEST)
        make_label(issue, pattern)
        issue.fixes.add(make_fix(additions=1, deletions=1))
        assert pattern_counts() == {}
        assert pattern_facts(node=pattern) == PatternFacts(PatternCount())

    @pytest.mark.usefixtures("starter")
    def test_list_page_and_labels_agree_for_every_pattern(self) -> None:
        listed = pattern_counts()
        for node in Node.objects.house().filter(axis__code="fix_pattern"):
            issues = labelled_issues(node=node).true_issues()
            facts = pattern_facts(node=node)
            wanted = set(Fix.objects.filter(issues__in=issues).values_list("pk", "lines_changed", "files_changed"))
            assert set(facts.count.fixes) == set(listed.get(node.pk, PatternCount()).fixes) == wanted
            assert len(facts.count.fixes) == len(wanted)
            assert facts.count.issues == listed.get(node.pk, PatternCount()).issues == issues.count()
            assert {fix.pk for fix in real_fixes(facts=facts)} == {fix.id for fix in facts.count.fixes}


class TestExample:
    @pytest.fixture
    def html(self, client: Client, pattern: Node) -> str:
        Playbook.objects.filter(node=pattern).update(
            before="if a < b:\n    wait()\n    go()", after="if a < b:\n    go()\n    wait(60)",
            example_note="It goes first.", example_language="python",
        )  # fmt: skip
        return client.get("/playbooks/coordination").content.decode()

    def test_both_sides_are_marked_in_words_too_and_can_be_copied(self, html: str) -> None:
        for text in ("It goes first.", "Python, made up", "− 1 line", "+ 1 line", 'data-copies="example-before"'):
            assert text in html
        assert '<del class="code-line">    wait()\n</del>' in html
        assert '<ins class="code-line">    wait(60)\n</ins>' in html
        assert "style=" not in html.split("<main")[1]

    def test_what_is_copied_is_the_code(self, html: str) -> None:
        found = re.search(r'<pre[^>]*id="example-after"[^>]*>(.*?)</pre>', html, re.DOTALL)
        assert found
        assert unescape(re.sub("<[^>]*>", "", found[1])) == "if a < b:\n    go()\n    wait(60)\n"

    @given(st.lists(st.sampled_from("abc <&")), st.lists(st.sampled_from("abc <&")))
    def test_no_line_is_lost_and_unmarked_lines_are_the_same(self, old: list[str], new: list[str]) -> None:
        both = sides("\n".join(old), "\n".join(new))
        kept = [re.findall(r'<span class="code-line">(.*?)\n</span>', side) for side in (both.before, both.after)]
        assert kept[0] == kept[1]
        assert len(kept[0]) + both.removed == len("\n".join(old).splitlines())
        assert len(kept[1]) + both.added == len("\n".join(new).splitlines())

    @pytest.mark.usefixtures("pattern")
    def test_a_playbook_without_one_says_nothing_of_it(self, client: Client) -> None:
        assert "Before and after" not in words(client, "/playbooks/coordination")

    def test_half_an_example_or_one_without_a_change_is_refused(self, pattern: Node) -> None:
        whole = {"before": "a", "after": "b", "example_note": "A note.", "example_language": "text"}
        for change, name in (
            ({"after": ""}, "is_whole"),
            ({"example_note": ""}, "is_whole"),
            ({"after": "a"}, "a_change"),
        ):
            with pytest.raises(IntegrityError, match=name), transaction.atomic():
                Playbook.objects.filter(node=pattern).update(**whole | change)


class TestCompany:
    """Twelve issues with a known fix: four waits, of which three hang; one of the other eight does, too."""

    @pytest.fixture
    def facts(self, pattern: Node) -> PatternFacts:
        barrier = Node.objects.get(code="barrier")
        guard = make_node("add-guard", axis=pattern.axis, name="Add a guard", position=2)
        hang, crash = make_node("hang"), make_node("crash")
        stuck = make_node("stuck", axis=hang.axis, parent=hang, name="Stuck in a collective")
        vllm = make_repository("vllm-project/vllm", "vllm")
        for place in range(12):
            issue = make_issue(repository=vllm if place < 3 else None)
            make_label(issue, barrier if place < 4 else guard)
            make_label(issue, stuck if place < 2 else hang if place in (2, 11) else crash)
            if place == 0:
                make_label(issue, guard)
        return pattern_facts(node=pattern)

    def test_symptoms_count_with_what_stands_above_them(self, facts: PatternFacts) -> None:
        found = {row.node.code: (row.both, row.pattern, row.category, row.of) for row in facts.symptoms}
        assert found == {"hang": (3, 4, 4, 12), "stuck": (2, 4, 2, 12), "crash": (1, 4, 8, 12)}

    def test_companions_are_neither_itself_nor_its_family(self, facts: PatternFacts) -> None:
        assert [(row.node.code, row.both, row.category) for row in facts.companions] == [("add-guard", 1, 9)]

    def test_frameworks_have_their_share(self, facts: PatternFacts) -> None:
        assert [(use.slug, use.issues, use.of) for use in facts.frameworks] == [("vllm", 3, 3), ("deepspeed", 1, 9)]
        assert (facts.count.issues, facts.all_issues) == (4, 12)

    @pytest.mark.usefixtures("facts")
    def test_the_page_writes_lift_n_and_intervals(self, client: Client) -> None:
        response = client.get("/playbooks/coordination")
        html = evened(response)
        symptoms = response.context["company"][0]
        hang, stuck, _crash = symptoms.rows
        assert (hang.issues, hang.share, hang.interval, hang.lift) == (3, "75 %", "30–95 %", "2.2×")
        assert (hang.depth, stuck.depth, hang.few) == (0, 1, "only 4 issues: says little")
        for text in (
            "Symptoms it ends",
            "all 12 issues where both are known",
            "3 of 3",
            "1 of 9",
            "Patterns in the same",
        ):
            assert text in html
        assert "fix=coordination&amp;symptom=hang" in html

    def test_a_rule_or_a_pull_request_changes_nothing(self, facts: PatternFacts, pattern: Node) -> None:
        rule = make_source("rule", kind=Source.Kind.RULE)
        make_label(make_issue(), pattern, rule)
        make_label(make_issue(kind=Kind.PULL_REQUEST), pattern)
        assert pattern_facts(node=pattern) == facts


class TestRealFixes:
    @pytest.fixture
    def three(self, pattern: Node) -> tuple[Fix, ...]:
        rows = (
            (30, "2024-01-01", "Every rank waits.", "deepspeedai/DeepSpeed", "deepspeed"),
            (2, "2023-01-01", "A lock.", "vllm-project/vllm", "vllm"),
            (None, None, "", "vllm-project/vllm", "vllm"),
        )
        found = []
        for lines, merged_on, text, repository, framework in rows:
            fix = make_fix(additions=lines, deletions=lines and 0, merged_on=merged_on, description=text)
            issue = make_issue(title=f"Loss of {text}", repository=make_repository(repository, framework))
            make_label(issue, pattern)
            issue.fixes.add(fix)
            found.append(fix)
        return tuple(found)

    @pytest.mark.parametrize(
        ("query", "places"),
        [
            ("", [0, 1, 2]), ("?sort=smallest", [1, 0, 2]), ("?sort=largest", [0, 1, 2]), ("?sort=odd", [0, 1, 2]),
            ("?q=RANK+waits", [0]), ("?q=loss+lock", [1]), ("?q=nothing", []), ("?framework=vllm", [1, 2]),
            ("?framework=vllm&q=lock", [1]), ("?framework=jax", [0, 1, 2]), ("?page=9", [0, 1, 2]),
            ("?q=%00", [0, 1, 2]),
        ],
    )  # fmt: skip
    def test_are_searched_filtered_and_ordered(
        self, client: Client, three: tuple[Fix, ...], query: str, places: list[int]
    ) -> None:
        response = client.get(f"/playbooks/coordination{query}")
        assert [fix.pk for fix in response.context["page"]] == [three[place].pk for place in places]
        assert ("No real fix of this pattern is like that." in response.content.decode()) == (not places)

    def test_come_by_the_page_and_say_how_many(self, client: Client, pattern: Node) -> None:
        for _ in range(PER_PAGE + 1):
            fixed(pattern, additions=1)
        first, second = (client.get(f"/playbooks/coordination?sort=smallest&page={page}") for page in (1, 2))
        assert (len(first.context["page"]), len(second.context["page"])) == (PER_PAGE, 1)
        assert f"{PER_PAGE + 1} fixes;" in evened(first)
        assert "sort=smallest&amp;page=2" in evened(first)

    def test_a_title_that_is_not_shown_is_not_searched(self, client: Client, pattern: Node) -> None:
        fix = make_fix()
        issue = make_issue(title="Host title", heading="Our heading.")
        make_label(issue, pattern)
        issue.fixes.add(fix)
        found = [
            client.get(f"/playbooks/coordination?q={word}").context["page"].object_list for word in ("host", "our")
        ]
        assert [list(rows) for rows in found] == [[], [fix]]


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
        assert group.playbook.node == pattern
        assert [row.playbook.node.code for row in group.below] == ["barrier"]
        assert [(row.issues, row.sizes.fixes, row.sizes.share) for row in (group, *group.below)] == [
            (1, 1, "100 %")
        ] * 2

    @pytest.mark.usefixtures("pattern")
    @pytest.mark.parametrize(
        ("query", "shown"), [("barrier", ["barrier"]), ("make+agree", ["barrier"]), ("WHEN+barrier.", ["barrier"])]
    )
    def test_a_search_keeps_groups_whole_or_the_finer_ones_that_match(
        self, client: Client, query: str, shown: list[str]
    ) -> None:
        (group,) = client.get(f"/playbooks/?q={query}").context["groups"]
        assert [row.playbook.node.code for row in group.below] == shown

    @pytest.mark.usefixtures("pattern")
    def test_a_search_that_finds_nothing_says_so(self, client: Client) -> None:
        assert "No playbook mentions these words." in words(client, "/playbooks/?q=quantum")

    def test_columns_sort_groups_and_what_stands_below_them(self, client: Client, pattern: Node) -> None:
        other = make_node("revert", axis=pattern.axis, position=2)
        lock = make_node("lock", axis=pattern.axis, parent=pattern, position=3)
        for node in (other, lock):
            Playbook.objects.create(node=node, applies_when="Now.", steps=["Do."])
        for node, lines in ((other, 50), (other, 60), (lock, 5), (Node.objects.get(code="barrier"), None)):
            fixed(node, additions=lines)
        orders = {}
        for sort in ("", "issues", "lines", "small", "odd"):
            response = client.get(f"/playbooks/?sort={sort}")
            orders[sort] = [row.playbook.node.code for g in response.context["groups"] for row in (g, *g.below)]
            assert ('aria-sort="descending"' in response.content.decode()) == (sort in ("issues", "lines", "small"))
        assert orders[""] == orders["odd"] == ["coordination", "barrier", "lock", "revert"]
        assert orders["issues"] == ["coordination", "barrier", "lock", "revert"]
        assert orders["lines"] == ["revert", "coordination", "lock", "barrier"]
        assert orders["small"] == ["coordination", "lock", "barrier", "revert"]

    def test_an_empty_knowledge_base_says_what_to_do(self, client: Client) -> None:
        make_node("hang")
        assert "load_codebook" in words(client, "/playbooks/")


@pytest.mark.usefixtures("starter")
@pytest.mark.parametrize(
    "path",
    [
        "/playbooks/",
        "/playbooks/?sort=lines&q=rank",
        "/playbooks/coordination",
        "/playbooks/add-guard?q=rank&sort=largest",
    ],
)
def test_takes_few_queries(client: Client, path: str) -> None:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path).status_code == 200
    assert len(queries) <= MOST_QUERIES
