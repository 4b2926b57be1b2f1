"""Searching, on every engine: folding, most words before any word, filters, facets that never lie."""

import datetime as dt
from collections.abc import Callable

import pytest
from django.http import QueryDict
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb.search import Match, SearchResult, find_reference, parse, search
from kb.services.labels import refresh_label_terms
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_axis, make_fix, make_issue, make_label, make_node, make_repository, make_source

pytestmark = pytest.mark.django_db


Find = Callable[..., SearchResult]
Found = Callable[..., list[str]]


@pytest.fixture
def find(put_issues_in: PutIssuesIn) -> Find:
    """Search the issues that there are at the first search, with both engines in turn."""
    done: list[bool] = []

    def run(text: str = "", *, facets: bool = False, **params: str) -> SearchResult:
        if not done:
            put_issues_in()
            done.append(True)
        query = QueryDict(mutable=True)
        query.update({"q": text, **params} if text else params)
        result = search(query, with_facets=facets)
        assert not result.is_fallback
        return result

    return run


@pytest.fixture
def found(find: Find) -> Found:
    """Refs of the issues found, in order."""

    def run(text: str = "", **params: str) -> list[str]:
        rows = find(text, **params).rows
        return [row.card.page.rstrip("/").rpartition("/")[2] for row in rows]

    return run


class TestWords:
    @pytest.mark.parametrize("spelling", ["ZeRO-3", "zero3", "zero stage 3", "ZeRO Stage-3", "Zero_3", "zero-stage3"])
    def test_zero_3_is_one_word_however_it_is_spelt(self, found: Found, spelling: str) -> None:
        make_issue(1, title="Hang with ZeRO-3 and offload")
        make_issue(2, title="Hang with ZeRO-1")
        assert found(spelling) == ["1"]

    @pytest.mark.parametrize("spelling", ["all_reduce", "all-reduce", "torch.distributed.all_reduce"])
    def test_identifiers_fall_apart_into_words(self, found: Found, spelling: str) -> None:
        make_issue(1, title="torch.distributed.all_reduce never returns")
        assert found(spelling) == ["1"]

    def test_a_path_is_found_by_its_parts(self, found: Found) -> None:
        make_issue(1, body="File /opt/deepspeed/runtime/zero/stage3.py, line 1")
        assert found("stage3.py") == ["1"]

    def test_a_pasted_flag_is_not_an_exclusion(self, found: Found) -> None:
        make_issue(1, body="vllm serve --tensor-parallel-size 2")
        assert found("--tensor-parallel-size 2") == ["1"]

    def test_an_exclusion_leaves_out(self, found: Found) -> None:
        make_issue(1, title="Hang in training")
        make_issue(2, title="Hang in inference")
        assert found("hang -inference") == ["1"]

    def test_a_phrase_keeps_its_order(self, found: Found) -> None:
        make_issue(1, title="an illegal memory access was encountered")
        make_issue(2, title="memory grows after illegal characters gain access")
        assert found('"illegal memory access"') == ["1"]

    def test_a_label_is_found_by_its_nodes_name(self, found: Found) -> None:
        issue = make_issue(1, title="No progress")
        make_label(issue, make_node("standstill"))
        refresh_label_terms(issue_ids=[issue.pk])
        assert found("standstill") == ["1"]

    def test_any_word_is_tried_only_when_no_issue_has_more(self, find: Find) -> None:
        make_issue(1, title="hang at start")
        make_issue(2, title="crash at save")
        some, every = find("hang crash"), find("hang start")
        assert (some.match, some.total, some.least) == (Match.SOME, 2, 1)
        assert (every.match, every.total) == (Match.ALL, 1)
        assert find().match is Match.NONE

    def test_a_title_outweighs_a_body(self, found: Found) -> None:
        make_issue(1, body="hang " * 3 + "word " * 200, title="Something else")
        make_issue(2, title="Hang in all_gather")
        assert found("hang") == ["2", "1"]

    @pytest.mark.parametrize(
        "text", ["'", '"', "\\", "%", "a & | ! b", "); DROP TABLE kb_issue; --", "\x00", "-", "😀"]
    )
    def test_odd_text_finds_nothing_but_never_fails(self, found: Found, text: str) -> None:
        make_issue(1, title="hang")
        assert found(text) in ([], ["1"])


class TestReferences:
    def test_a_short_name_and_an_address_name_the_issue(self) -> None:
        issue = make_issue(5030)
        for text in ("DeepSpeed#5030", "deepspeedai/deepspeed#5030", issue.url, issue.url + "#issuecomment-1"):
            reference = parse(text).reference
            assert reference
            assert find_reference(reference) == issue

    def test_an_old_repository_name_still_finds_it(self) -> None:
        issue = make_issue(5030)
        issue.repository.aliases.create(host="github.com", full_name="microsoft/DeepSpeed")
        reference = parse("https://github.com/microsoft/DeepSpeed/issues/5030").reference
        assert reference
        assert find_reference(reference) == issue

        short = parse("microsoft/DeepSpeed#5030").reference
        assert short
        assert find_reference(short) == issue

    def test_a_name_that_fits_two_repositories_names_neither(self, find: Find) -> None:
        for owner in ("one", "two"):
            make_issue(7, repository=make_repository(f"{owner}/thing"))
        reference = parse("thing#7").reference
        assert reference
        assert find_reference(reference) is None
        both = find("thing#7")
        assert both.total == len(both.named) == 2
        assert "put the owner before it" in both.reference_note

    def test_a_part_of_an_owners_name_is_another_owner(self) -> None:
        make_issue(7, repository=make_repository("deepspeedai/DeepSpeed"))
        reference = parse("ai/DeepSpeed#7").reference
        assert reference
        assert find_reference(reference) is None

    def test_the_named_issue_is_all_that_is_found(self, find: Find) -> None:
        issue = make_issue(5030, title="Hangs", body="DeepSpeed 5242")
        make_issue(5242, title="Something else", kind="pull_request")
        make_issue(1, title="Like DeepSpeed 5030, https://github.com/deepspeedai/DeepSpeed/issues/5030")
        for text in ("DeepSpeed#5030", issue.url, issue.url.removeprefix("https://")):
            result = find(text, facets=True)
            assert (result.ids, result.total, result.is_close) == ((issue.pk,), 1, True), text
            (framework,) = [group for group in result.facets if group.key == "framework"]
            assert [value.count for value in framework.values] == [1]
        assert find("DeepSpeed#5242").total == 1
        assert (
            find("DeepSpeed#5030", state="open", sort="newest").reference_note
            == "The filters leave DeepSpeed#5030 out."
        )

    def test_an_unknown_one_finds_nothing_and_says_so(self, find: Find) -> None:
        make_issue(1, title="DeepSpeed 99 hangs")
        for text in ("DeepSpeed#99", "nobody/nothing#99", "https://github.com/deepspeedai/DeepSpeed/issues/99"):
            result = find(text, facets=True)
            assert (result.total, result.rows, result.is_close) == (0, (), False), text
            assert "#99 is not known here." in result.reference_note


class TestFilters:
    def test_an_axis_includes_the_nodes_below(self, found: Found) -> None:
        hang = make_node("hang")
        make_label(make_issue(1), make_node("hang-start", parent=hang))
        make_issue(2)
        assert found(symptom="hang") == ["1"]
        assert found(symptom="hang-start,hang") == ["1"]

    def test_pull_requests_are_left_out_unless_asked_for(self, found: Found) -> None:
        make_issue(1)
        make_issue(2, kind="pull_request")
        assert found() == ["1"]
        assert found(kind="pull_request") == ["2"]

    def test_fixes_sizes_and_years(self, found: Found) -> None:
        one = make_issue(1, opened_at=dt.datetime(2024, 5, 1, tzinfo=dt.UTC))
        one.fixes.add(make_fix(additions=2, deletions=1))
        make_issue(2, opened_at=dt.datetime(2023, 5, 1, tzinfo=dt.UTC))
        assert found(has_fix="true") == found(small_fix="true") == found(year="2024") == ["1"]
        assert found(has_fix="false") == found(year="2023") == ["2"]

    def test_two_study_categories_mean_both(self, found: Found) -> None:
        study = make_axis(scheme="a-study")
        hang, crash = make_node("S1", axis=study), make_node("S2", axis=study)
        both, one = make_issue(1), make_issue(2)
        for issue, node in [(both, hang), (both, crash), (one, hang)]:
            make_label(issue, node)
        assert found(node="a-study/S1,a-study/S2") == ["1"]

    @pytest.mark.parametrize(
        "params", [{"state": "ajar"}, {"year": "x"}, {"year": "999999"}, {"sort": "upwards"}, {"cause": "x"}]
    )
    def test_a_wrong_value_is_an_error_and_finds_nothing(self, find: Find, params: dict[str, str]) -> None:
        make_issue(1)
        result = find(**params)
        assert set(result.errors) == set(params)
        assert result.total == 0


@pytest.fixture
def _mixed_issues() -> None:
    hang, crash = make_node("hang"), make_node("crash")
    start = make_node("hang-start", parent=hang)
    causes = make_axis("root_cause")
    race, misuse = make_node("race", axis=causes), make_node("misuse", axis=causes)
    vllm, small = make_repository("vllm-project/vllm", "vllm"), make_fix(additions=1, deletions=1)
    for i in range(24):
        issue = make_issue(
            repository=vllm if i % 3 else make_repository(),
            state=("open", "closed", "unknown")[i % 3],
            opened_at=dt.datetime(2021 + i % 4, 1, 1, tzinfo=dt.UTC),
            title="training hang" if i % 2 else "crash at save",
        )
        make_label(issue, (hang, crash, start)[i % 3])
        if i % 4:
            make_label(issue, (race, misuse)[i % 2], make_source("rule", kind="rule") if i % 5 else None)
        if i % 6 == 0:
            issue.fixes.add(small)


KEYS = {
    "framework": ["deepspeed", "vllm", "-vllm"],
    "symptom": ["hang", "crash", "hang-start", "hang,crash", "-hang-start"],
    "cause": ["race", "misuse"],
    "state": ["open", "closed"],
    "year": ["2021", "2023", "2021..2022"],
    "has_fix": ["true", "false"],
    "small_fix": ["true"],
    "trust": ["curated", "rule"],
    "source": ["curated", "rule", "curated,rule"],
    "q": ["hang", "crash -save", "hang crash", "nothing", "hang symptom:hang,crash", "-is:open framework:vllm"],
}
CHOICES = st.fixed_dictionaries({}, optional={key: st.sampled_from(values) for key, values in KEYS.items()})


@pytest.mark.usefixtures("_mixed_issues")
class TestFacets:
    @settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(choices=CHOICES)
    def test_every_count_is_the_number_of_results_after_clicking_it(self, find: Find, choices: dict[str, str]) -> None:
        text = choices.pop("q", "")
        result = find(text, facets=True, **choices)
        assert len(result.rows) == min(result.total, 20)
        for group in result.facets:
            for value in group.values:
                # The click on a value of a group in which nothing else is chosen, in the box or the address.
                clicked = result.asked.without(group.key).dict() | {group.key: value.value}
                if value.count:
                    assert value.count == find(clicked.pop("q", ""), **clicked).total, (text, choices, clicked)
                else:
                    assert value.selected

    def test_a_choice_does_not_change_its_own_groups_counts(self, find: Find) -> None:
        def counts(**params: str) -> dict[str, int]:
            (group,) = [g for g in find(facets=True, **params).facets if g.key == "framework"]
            return {value.value: value.count for value in group.values}

        assert counts(framework="vllm") == counts() == {"vllm": 16, "deepspeed": 8}

    def test_toggling_twice_comes_back(self, find: Find) -> None:
        (group,) = [g for g in find(facets=True, symptom="crash").facets if g.key == "symptom"]
        (crash,) = group.selected
        assert crash.toggle_url == "?"
        (hang,) = [v for v in group.values if v.value == "hang"]
        assert hang.toggle_url == "?symptom=crash,hang"

    def test_a_group_that_is_not_asked_for_is_not_counted(self, find: Find) -> None:
        assert find("hang", framework="vllm").facets == ()
        assert {group.key for group in find("hang", facets=True).facets} >= {"framework", "symptom", "cause", "trust"}
