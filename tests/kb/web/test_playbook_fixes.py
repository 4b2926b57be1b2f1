"""What a playbook goes with, its real fixes to search and sort, and the list of playbooks."""

import pytest
from django.test import Client

from kb.charts.samples import TOO_FEW
from kb.models import Fix, Kind, Node, Playbook, Source
from kb.selectors.fix_patterns import PatternFacts, pattern_facts
from kb.web.explore.playbooks import PER_PAGE
from tests.kb.web.patterns import evened, fixed, make_pattern, words
from tests.support.factories import make_fix, make_issue, make_label, make_node, make_repository, make_source

pytestmark = pytest.mark.django_db


@pytest.fixture
def pattern() -> Node:
    return make_pattern()


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
        assert (hang.issues, hang.share, hang.interval, hang.lift) == (3, "–", "–", "–")
        assert (hang.depth, stuck.depth, hang.few) == (0, 1, "small sample (n = 4)")
        for text in (
            "Symptoms it fixes",
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
            ("", [0, 1, 2]), ("?sort=smallest", [1, 0, 2]), ("?sort=largest", [0, 1, 2]),
            ("?q=RANK+waits", [0]), ("?q=loss+lock", [1]), ("?q=nothing", []), ("?framework=vllm", [1, 2]),
            ("?framework=vllm&q=lock", [1]), ("?page=9", [0, 1, 2]),
            ("?q=%00", [0, 1, 2]),
        ],
    )  # fmt: skip
    def test_are_searched_filtered_and_ordered(
        self, client: Client, three: tuple[Fix, ...], query: str, places: list[int]
    ) -> None:
        response = client.get(f"/playbooks/coordination{query}")
        assert [fix.pk for fix in response.context["page"]] == [three[place].pk for place in places]
        assert ("No real fix of this pattern is like that." in response.content.decode()) == (not places)

    @pytest.mark.usefixtures("three")
    @pytest.mark.parametrize("query", ["?framework=jax", "?sort=odd"])
    def test_a_framework_or_order_that_there_is_not_is_refused(self, client: Client, query: str) -> None:
        assert client.get(f"/playbooks/coordination{query}").status_code == 400

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


class TestList:
    def test_finer_patterns_stand_with_their_group_and_their_counts(self, client: Client, pattern: Node) -> None:
        fixed(Node.objects.get(code="barrier"), additions=3)
        (group,) = client.get("/playbooks/").context["groups"]
        assert group.playbook.node == pattern
        assert [row.playbook.node.code for row in group.below] == ["barrier"]
        assert [(row.issues, row.sizes.fixes, row.sizes.share) for row in (group, *group.below)] == [(1, 1, "")] * 2

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
            for _ in range(TOO_FEW):
                fixed(node, additions=lines)
        orders = {}
        for sort in ("", "issues", "lines", "small"):
            response = client.get(f"/playbooks/?sort={sort}")
            orders[sort] = [row.playbook.node.code for g in response.context["groups"] for row in (g, *g.below)]
            assert ('aria-sort="descending"' in response.content.decode()) == (sort in ("issues", "lines", "small"))
        assert orders[""] == ["coordination", "barrier", "lock", "revert"]
        assert orders["issues"] == ["coordination", "barrier", "lock", "revert"]
        assert orders["lines"] == ["revert", "coordination", "lock", "barrier"]
        assert orders["small"] == ["coordination", "lock", "barrier", "revert"]

    def test_an_empty_knowledge_base_says_what_to_do(self, client: Client) -> None:
        make_node("hang")
        assert "load_codebook" in words(client, "/playbooks/")
