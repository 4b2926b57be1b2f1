"""The answer panel: it shows for what the codebook knows, with the very numbers of the pages about it."""

import re
from collections.abc import Sequence
from html import unescape
from urllib.parse import quote

import pytest
from django.db.models import Count
from django.http import QueryDict
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from kb.charts.cards import given
from kb.charts.evidence import gather
from kb.charts.samples import SMALL, TOO_FEW
from kb.charts.symptoms import offered
from kb.models import Issue, Node
from kb.search import search
from kb.web.search.panel import LEVEL, Panel, panels
from tests.kb.web.reading import visit
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_axis, make_fix, make_issue, make_label, make_node, make_repository

pytestmark = pytest.mark.django_db
COMMONEST = 30


def of(query: str) -> tuple[Panel, ...]:
    return panels(search(QueryDict(query)))


def named(query: str) -> list[str]:
    return [panel.node.name for panel in of(query)]


def html_of(client: Client, query: str) -> str:
    return unescape(client.get(f"/issues/?{query}").content.decode())


def make_hangs(number: int, cause: Node, *also: Node, framework: str = "deepspeed") -> list[Issue]:
    """So many issues with the symptom `hang` and this cause."""
    hang = Node.objects.filter(code="hang").first() or make_node("hang", name="Hang", aliases=["stuck"])
    repository = make_repository(f"{framework}/{framework}", framework)
    issues = [make_issue(repository=repository, title=f"Training hangs, report {n}") for n in range(number)]
    for issue in issues:
        for node in (hang, cause, *also):
            make_label(issue, node)
    return issues


@pytest.fixture
def race() -> Node:
    return make_node("race", axis=make_axis("root_cause"), name="Race")


@pytest.mark.usefixtures("starter")
class TestCommonestWords:
    """The symptoms and components with the most issues, asked for by name."""

    @pytest.fixture
    def commonest(self, search_index: PutIssuesIn) -> Sequence[Node]:
        search_index()
        nodes = Node.objects.house().filter(axis__code__in=("symptom", "component"), status=Node.Status.ACTIVE)
        nodes = nodes.annotate(issues=Count("labels__issue", distinct=True)).order_by("-issues", "code")
        return list(nodes.select_related("axis")[:COMMONEST])

    def test_show_a_panel_whose_numbers_are_those_of_given_a_symptom(self, commonest: Sequence[Node]) -> None:
        assert len(commonest) == COMMONEST
        for node in commonest:
            words = [node.name, *node.aliases[:2]]
            shown = {word: of(f"q={quote(word)}") for word in words}
            assert all(shown.values()), (node.code, shown)
            panel = shown[node.name][0]
            assert panel.node.name == node.name
            if node.axis.code == "symptom":
                self._has_the_causes(panel, node)
            else:
                self._has_the_symptoms(panel)

    def _has_the_causes(self, panel: Panel, node: Node) -> None:
        page = given(gather(QueryDict(panel.more_url.partition("?")[2])), LEVEL)
        assert page
        assert [heading.code for heading in page.symptoms.headings] == [node.code]
        assert panel.counted == page.counted
        causes = {cause.heading.name: cause.share for cause in page.causes}
        assert panel.lines or not panel.is_drawn or max(share.issues for share in causes.values()) == 1
        assert all(causes[line.name] == line.share for line in panel.lines)

    def _has_the_symptoms(self, panel: Panel) -> None:
        symptoms, counted = offered(gather(QueryDict(panel.more_url.partition("?")[2])))
        assert panel.counted.all_issues == counted.all_issues
        issues = {symptom.heading.name: symptom.heading.issues for symptom in symptoms}
        assert panel.lines or not panel.is_drawn
        assert all(issues[line.name] == line.share.issues for line in panel.lines)

    def test_every_number_is_what_its_link_finds(self, commonest: Sequence[Node]) -> None:
        for node in commonest[:6]:
            (panel, *_) = of(f"q={quote(node.name)}")
            counted = [(line.issues_url, line.share.issues) for line in (*panel.lines, *panel.fixes)]
            counted += [(panel.issues_url, panel.counted.all_issues), (panel.fixed_url, panel.fixed.issues)]
            for url, issues in counted:
                assert search(QueryDict(url.partition("?")[2]), limit=0, with_facets=False).total == issues, url

    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("OOM", "Out of accelerator memory"),
            ("NCCL timeout", "Hang in a collective"),
            ("CUDA error: an illegal memory access was encountered", "Accelerator error"),
            ("loss is NaN", "NaN or infinity"),
            ("tensor parallelism", "Tensor parallelism"),
            ("zero stage 3", "ZeRO-3"),
            ("显存不够", "Out of accelerator memory"),
            ("训练卡住", "Hang"),
            ("感叹号", "Wrong or garbled output"),
        ],
    )
    def test_everyday_words_do_too(self, search_index: PutIssuesIn, text: str, name: str) -> None:
        search_index()
        assert named(f"q={quote(text)}") == [name]

    def test_definition_cause_and_playbook_are_links(self, client: Client, search_index: PutIssuesIn) -> None:
        search_index()
        page = visit(client, "/issues/?q=NCCL timeout")
        assert page.links["/codebook/house/symptom/hang-collective"].startswith("Hang in a collective")
        assert Node.objects.house().get(code="hang-collective").definition in page.words
        assert "/playbooks/align-collectives" in page.links
        assert any(url.startswith("/explore/given/?symptom=hang-collective") for url in page.links)


class TestNarrowing:
    def test_by_the_framework_and_the_filters(self, race: Node) -> None:
        make_hangs(6, race)
        make_hangs(5, race, framework="vllm")
        assert of("q=hang")[0].counted.issues == 11
        (in_vllm,) = of("q=hang in vllm")
        assert (in_vllm.counted.issues, in_vllm.within) == (5, ("Vllm",))
        assert of("q=hang&framework=vllm")[0].counted.issues == 5
        assert of("q=hang in deepspeed&framework=vllm")[0].counted.issues == 5

    def test_by_the_component(self, race: Node) -> None:
        zero = make_node("zero", axis=make_axis("component"), name="ZeRO")
        make_hangs(5, race, zero)
        make_hangs(6, race)
        (panel,) = of("q=hang in zero")
        assert (panel.counted.issues, panel.within, panel.wider) == (5, ("ZeRO",), None)

    def test_goes_as_far_as_there_are_enough_issues(self, race: Node) -> None:
        component = make_axis("component")
        group = make_node("sharding", axis=component, name="Sharding")
        zero = make_node("zero", axis=component, parent=group, name="ZeRO")
        make_hangs(4, race, zero)
        make_hangs(3, race, group)
        make_hangs(3, race, framework="vllm")
        (panel,) = of("q=hang in zero in vllm")
        assert (panel.counted.issues, panel.within) == (7, ("Sharding",))
        assert panel.wider
        assert (panel.wider.counted.issues, panel.wider.within) == (0, ("ZeRO", "Vllm"))
        (panel,) = of("q=hang in vllm")
        assert (panel.counted.issues, panel.within) == (10, ())

    def test_a_quick_filter_chooses_among_the_results_alone(self, race: Node) -> None:
        (issue, *_) = make_hangs(6, race)
        issue.fixes.add(make_fix(issue.pk))
        assert of("q=hang&has_fix=true") == of("q=hang")

    def test_a_filter_on_the_symptom_says_more_than_the_word(self, race: Node) -> None:
        (issue, *_) = make_hangs(6, race)
        start = make_node("hang-start", parent=Node.objects.get(code="hang"), name="Hang at start")
        make_label(issue, start)
        assert named("q=hang&symptom=hang-start") == ["Hang at start"]
        assert named("symptom=hang") == ["Hang"]
        assert named("symptom=hang&cause=race") == []


class TestFewIssues:
    @pytest.mark.parametrize("number", [TOO_FEW - 1, TOO_FEW, SMALL - 1, SMALL])
    def test_are_not_drawn_or_marked(self, client: Client, race: Node, number: int) -> None:
        make_hangs(number, race)
        html = html_of(client, "q=hang")
        assert ("answer-bar" in html) == (number >= TOO_FEW)
        assert (f"small sample (n = {number})" in html) == (TOO_FEW <= number < SMALL)
        assert ("is-small" in html) == (TOO_FEW <= number < SMALL)
        assert (f"to say more (n = {number})" in html) == (number < TOO_FEW)

    def test_a_cause_that_was_seen_once_is_not_likely(self, client: Client) -> None:
        causes = make_axis("root_cause")
        for number in range(6):
            make_hangs(1, make_node(f"cause-{number}", axis=causes, name=f"Cause {number}"))
        assert "None stands out" in html_of(client, "q=hang")

    def test_playbooks_need_enough_fixes(self, race: Node) -> None:
        guard = make_node("guard", axis=make_axis("fix_pattern"), name="Add a guard")
        issues = make_hangs(6, race)
        for issue in issues[:4]:
            make_label(issue, guard)
        assert of("q=hang")[0].fixes == ()
        make_label(issues[4], guard)
        assert [line.name for line in of("q=hang")[0].fixes] == ["Add a guard"]

    def test_known_fixes_are_counted(self, race: Node) -> None:
        for issue in make_hangs(6, race)[:2]:
            issue.fixes.add(make_fix(issue.pk))
        assert (of("q=hang")[0].fixed.issues, of("q=hang")[0].fixed.of) == (2, 6)


class TestNoPanel:
    @pytest.mark.parametrize(
        "query", ["q=report", "q=not hanging", "q=framework:nosuch hang", "", "q=hang&page=2", "framework=deepspeed"]
    )
    def test_for_what_names_nothing(self, client: Client, race: Node, query: str) -> None:
        make_hangs(25, race)
        assert 'class="answer ' not in html_of(client, query)

    def test_for_a_paste(self, race: Node) -> None:
        make_hangs(6, race)
        assert named(f"q={quote('the run hangs' + chr(10) + 'in line 2')}") == []

    def test_where_nothing_close_is_found(self, race: Node, search_index: PutIssuesIn) -> None:
        make_hangs(6, race)
        make_issue(title="Postgres driver is missing", body="The image lacks a driver.")
        search_index()
        assert named("q=hang") == ["Hang"]
        assert not search(QueryDict("q=postgres ticket table stuck")).is_close
        assert named("q=postgres ticket table stuck") == []

    def test_for_more_things_than_two(self) -> None:
        components = make_axis("component")
        for name in ("alpha", "beta", "gamma"):
            make_label(make_issue(title="alpha beta gamma"), make_node(name, axis=components, name=name.title()))
        assert named("q=alpha beta gamma") == []
        assert named("q=alpha beta") == ["Alpha", "Beta"]


class TestSeveral:
    def test_symptoms_make_two_panels_at_most(self, client: Client, race: Node) -> None:
        (issue, *_) = make_hangs(6, race)
        for name in ("Crash", "Leak"):
            make_label(issue, make_node(name.lower(), name=name))
        assert named("q=hang and crash or leak") == ["Hang", "Crash"]
        ids = re.findall(r'aria-labelledby="(answer-[^"]+)"', html_of(client, "q=hang and crash"))
        assert len(ids) == len(set(ids)) == 2


def test_one_panel_serves_all_readers(race: Node, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    """The state of the rows is looked at, and nothing else."""
    make_hangs(6, race)
    result = search(QueryDict("q=hang"))
    panels(result)
    with django_assert_max_num_queries(1):
        assert panels(result)
    make_hangs(1, race)
    assert panels(result)[0].counted.issues == 7
