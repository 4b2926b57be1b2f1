"""The playbooks: what to do, how large such fixes are, and the real ones."""

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from kb.models import Fix, Kind, Node, Playbook
from kb.selectors.codebook import labelled_issues
from kb.selectors.fix_patterns import PatternCount, PatternFacts, pattern_counts, pattern_facts
from kb.selectors.playbooks import real_fixes
from kb.web.explore.diff import sides
from kb.web.markup.markdown import TAGS, render
from tests.kb.web.patterns import evened, fixed, make_pattern, words
from tests.support.factories import make_fix, make_issue, make_label, make_node, make_repository

pytestmark = pytest.mark.django_db
MOST_QUERIES = 9


@pytest.fixture
def pattern() -> Node:
    return make_pattern()


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
        for lines in (2, 9, 10, 11, 40):
            fixed(pattern, additions=lines)
        fixed(pattern)
        html = words(client, "/playbooks/coordination")
        assert "median <strong>10 changed lines</strong> (too few for an interval; n = 5 fixes of known size)" in html
        assert "3 of 5 change at most 10 lines: 60 % (95 % interval 23–88 %); small sample (n = 5)." in html
        assert "Size unknown for 1 more." in html

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
        assert "size unknown for it" in html
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
