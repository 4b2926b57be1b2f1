"""Filters on issues: how values are written, what is refused and why, and that engines are told what Postgres does."""

import datetime as dt
import random
from collections.abc import Sequence

import pytest
from django.http import QueryDict
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb.core.search.backend import chosen_sources, conditions_of, held_values
from kb.core.search.filter_values import Value, join_values
from kb.core.search.keys import CODE_KEYS
from kb.core.search.values import Condition, Document, Request
from kb.models import Issue
from kb.models.circumstances import FACTS
from kb.search.documents import documents
from kb.search.request import KEYS, ParsedSearch, read
from tests.support.factories import make_axis, make_fix, make_issue, make_label, make_node, make_repository, make_source

pytestmark = pytest.mark.django_db


def asked(text: str = "", **params: str) -> ParsedSearch:
    query = QueryDict(mutable=True)
    query.update({"q": text, **params})
    return read(query)


def conditions(text: str = "", **params: str) -> tuple[Condition, ...]:
    found = asked(text, **params)
    assert found.errors == {}
    return found.conditions


def errors(text: str = "", **params: str) -> str:
    (messages,) = asked(text, **params).errors.values()
    return " ".join(messages)


def day(text: str) -> int:
    return (dt.date.fromisoformat(text) - dt.date(1970, 1, 1)).days


@pytest.fixture
def known() -> None:
    """Some of everything that has a name."""
    oom = make_node("out-of-memory", name="Out of memory", aliases=["OOM", "allocation failure"])
    make_node("oom-cpu", name="Host memory", parent=oom)
    make_node("gone", status="merged", merged_into=oom, name="Memory gone")
    make_node("old", status="retired")
    make_node("race", axis=make_axis("root_cause"))
    make_node("S1", axis=make_axis(scheme="a-study"), name="Stuck")
    make_repository().aliases.create(host="github.com", full_name="microsoft/DeepSpeed")
    make_repository("NVIDIA/Megatron-LM", "megatron-lm")
    make_source("rule", kind="rule", name="Rules")


@pytest.mark.usefixtures("known")
class TestNames:
    @pytest.mark.parametrize(
        ("key", "said", "value"),
        [
            ("symptom", "oom", "out-of-memory"),
            ("symptom", "Out of Memory", "out-of-memory"),
            ("symptom", "out_of_memory", "out-of-memory"),
            ("symptom", "OUT-OF-MEMORY", "out-of-memory"),
            ("symptom", "memory gone", "out-of-memory"),
            ("symptom", "old", "old"),
            ("framework", "Megatron-LM", "megatron-lm"),
            ("repository", "microsoft/deepspeed", "deepspeedai/DeepSpeed"),
            ("repository", "deepspeed", "deepspeedai/DeepSpeed"),
            ("node", "A-Study/s1", "a-study/S1"),
            ("node", "stuck", "a-study/S1"),
            ("source", "Rules", "rule"),
            ("kind", "PR", "pull_request"),
            ("state", "Open", "open"),
            ("has_fix", "yes", "true"),
        ],
    )
    def test_a_value_goes_by_code_name_and_alias(self, key: str, said: str, value: str) -> None:
        for found in (conditions(f'{key}:"{said}"'), conditions(**{key: said})):
            assert found == (Condition(key, wanted=(value,)),)

    def test_an_unknown_value_is_an_error_with_the_nearest(self) -> None:
        assert errors(framework="deepsped") == "“deepsped” is not a framework here. Nearest: Deepspeed (deepspeed)."
        assert "Out of memory (out-of-memory)" in errors("symptom:out-of-memry")
        assert errors(cause="zzz") == "“zzz” is not a root cause here. Known are: race."

    def test_an_error_drops_nothing_else(self) -> None:
        found = asked("nccl symtom:x framework:deepsped is:open", lines="<=10", year="x")
        assert set(found.errors) == {"q", "framework", "year"}
        assert [one.key for one in found.conditions] == ["state", "lines"]
        assert found.query.words == "nccl"

    @pytest.mark.parametrize(
        ("params", "says"),
        [
            ({"symptom": "oom," * 51}, "At most 50 symptoms"),
            ({"node": "a/b," * 6}, "At most 5 categories"),
            ({"framework": "x" * 6_000}, "at most 5,000"),
            ({"state": "ajar"}, "open, closed, unknown"),
            ({"year": "1999"}, "2008 to 2100"),
            ({"opened": "May"}, "2024-05-31"),
            ({"opened": "2024-13"}, "not a date"),
            ({"opened": "2023,2024"}, "a..b"),
            ({"lines": "20..10"}, "ends before it begins"),
            ({"lines": "1e3"}, "whole number"),
            ({"lines": "9" * 10}, "whole number"),
            ({"lines": "-10..20"}, "cannot be left out"),
            ({"days": ".."}, "one end at least"),
        ],
    )
    def test_what_is_wrong_is_said_with_what_would_be_right(self, params: dict[str, str], says: str) -> None:
        assert says in errors(**params)


class TestRanges:
    @pytest.mark.parametrize(
        ("text", "low", "high"),
        [
            ("opened:2024", day("2024-01-01"), day("2024-12-31")),
            ("opened:2024-02", day("2024-02-01"), day("2024-02-29")),
            ("opened:2024-02-05", day("2024-02-05"), day("2024-02-05")),
            ("opened:>2024-01", day("2024-02-01"), None),
            ("opened:>=2024-01", day("2024-01-01"), None),
            ("opened:<2024-01", None, day("2023-12-31")),
            ("opened:<=2024-01", None, day("2024-01-31")),
            ("opened:2024-01..2024-06", day("2024-01-01"), day("2024-06-30")),
            ("opened:..2024", None, day("2024-12-31")),
            ("-opened:>2024-01", None, day("2024-01-31")),
            ("opened:>2024-01 opened:<2024-03", day("2024-02-01"), day("2024-02-29")),
            ("closed:>9999", None, None),
            ("lines:<=10", None, 10),
            ("lines:>10,<20", 11, 19),
            ("lines:10..20", 10, 20),
            ("lines:7", 7, 7),
        ],
    )
    def test_have_both_ends_within(self, text: str, low: int | None, high: int | None) -> None:
        if low is high is None:
            assert "not a date" in errors(text)
        else:
            assert [(one.low, one.high) for one in conditions(text)] == [(low, high)]

    @pytest.mark.parametrize("key", ["lines", "files", "comments", "reactions", "days"])
    @pytest.mark.parametrize("value", [">99999999", ">=99999999", "<0", "-<0", "99999999"])
    def test_extremes_find_nothing_and_break_nothing(self, key: str, value: str) -> None:
        make_issue(1)
        found = asked(**{key: value})
        assert (found.errors, list(found.form.qs)) == ({}, [])

    @pytest.mark.parametrize("value", ["<1970", ">2100", "..2100", "1970.."])
    def test_of_dates_may_begin_and_end_anywhere(self, value: str) -> None:
        make_issue(1)
        found = asked(opened=value, closed=value)
        assert (found.errors, list(found.form.qs)) == ({}, [])

    def test_years_are_named_one_by_one(self) -> None:
        (found,) = conditions("year:2021..2023 -year:2022")
        assert (found.wanted, found.unwanted) == (("2021", "2022", "2023"), ("2022",))


@pytest.mark.usefixtures("known")
class TestTheBoxAndTheAddress:
    def test_add_up(self) -> None:
        found = asked("hang symptom:oom", symptom="oom-cpu", state="open")
        assert found.wanted("symptom") == ("oom-cpu", "out-of-memory")
        assert [(one.key, one.in_box) for one in found.terms] == [
            ("symptom", False), ("symptom", True), ("state", False),
        ]  # fmt: skip

    def test_several_categories_mean_all_of_them(self) -> None:
        assert conditions("node:stuck", node="house/old,-house/oom-cpu") == (
            Condition("node", wanted=("house/old",)),
            Condition("node", wanted=("a-study/S1",)),
            Condition("node", unwanted=("house/oom-cpu",)),
        )

    def test_a_value_is_taken_away_where_it_was_written(self) -> None:
        found = asked("hang symptom:OOM,old is:open", symptom="oom", page="3", sort="newest")
        by_key = {(one.key, str(one.value), one.in_box): one for one in found.terms}
        left = found.without("symptom", by_key["symptom", "OOM", True])
        assert left.dict() == {"q": "hang symptom:old is:open", "symptom": "oom", "sort": "newest"}
        assert found.without("symptom", by_key["symptom", "oom", False]).dict() == {
            "q": "hang symptom:OOM,old is:open", "sort": "newest",
        }  # fmt: skip
        assert found.without("symptom").dict() == {"q": "hang is:open", "sort": "newest"}
        assert found.without_value("symptom", "out-of-memory").dict() == {
            "q": "hang symptom:old is:open", "sort": "newest",
        }  # fmt: skip
        assert found.without().dict() == {"q": "hang", "sort": "newest"}

    def test_a_wrong_value_can_be_taken_away_too(self) -> None:
        found = asked("symptom:nonsense", state="ajar")
        left = {one.key: found.without(one.key, one).dict() for one in found.terms}
        assert left == {"symptom": {"state": "ajar"}, "state": {"q": "symptom:nonsense"}}


VALUES = {
    "framework": ["deepspeed", "vllm"],
    "repository": ["vllm-project/vllm", "deepspeedai/DeepSpeed"],
    "symptom": ["hang", "hang-start", "crash"],
    "cause": ["race", "misuse"],
    "node": ["house/hang", "a-study/S1", "house/race"],
    "state": ["open", "closed", "unknown"],
    "kind": ["issue", "pull_request", "unknown"],
    "year": ["2021", "2022..2023", ">2023", "<=2021"],
    "has_fix": ["true", "false"],
    "has_workaround": ["true", "false"],
    "small_fix": ["true", "false"],
    "hard": ["true", "false"],
    "curated": ["true", "false"],
    "resolved": ["true", "false"],
    "trust": ["curated", "rule"],
    "source": ["curated", "rule"],
    **{fact.key: list(fact.words.values) for fact in FACTS},
}
RANGES = {
    "opened": [">2022", "2021", "<2023-03", "2022-02..2023-02", ">=2022-02-15"],
    "closed": [">2022", "2021..2022", "<=2023-03-02"],
    "lines": ["<=10", ">10", "5..50", "0", ">=3"],
    "files": ["1", ">1", "2..5", "0.."],
    "comments": [">=10", "<10", "5..12", "0"],
    "reactions": [">0", "<=2"],
    "days": ["<1", ">30", "2..40", "0"],
}


def _several(values: Sequence[str]) -> st.SearchStrategy[str]:
    one = st.builds(Value, st.sampled_from(values), st.booleans())
    return st.lists(one, min_size=1, max_size=2).map(join_values)


ANY_FILTERS = st.fixed_dictionaries(
    {},
    optional={
        **{key: _several(values) for key, values in VALUES.items()},
        **{key: st.sampled_from(values) for key, values in RANGES.items()},
    },
)


@pytest.fixture
def mixed() -> None:
    """Issues that differ in everything a filter asks for."""
    hang, crash, causes = make_node("hang"), make_node("crash"), make_axis("root_cause")
    nodes = [
        hang, crash, make_node("hang-start", parent=hang), make_node("race", axis=causes),
        make_node("misuse", axis=causes), make_node("S1", axis=make_axis(scheme="a-study")),
    ]  # fmt: skip
    sources = [make_source(), make_source("rule", kind="rule")]
    repositories = [make_repository(), make_repository("vllm-project/vllm", "vllm")]
    fixes = [
        make_fix(additions=2, deletions=1, files_changed=1), make_fix(additions=40, deletions=2, files_changed=4),
        make_fix(),
    ]  # fmt: skip
    chance = random.Random(7)  # noqa: S311 - the same issues each time
    for _ in range(40):
        opened = dt.datetime(2021, 1, 1, 23, 30, tzinfo=dt.UTC) + dt.timedelta(days=chance.randrange(1_200))
        state = chance.choice(["open", "closed", "unknown"])
        closed = opened + dt.timedelta(hours=chance.choice([1, 40, 24, 900, 20_000])) if state == "closed" else None
        issue = make_issue(
            repository=chance.choice(repositories),
            kind=chance.choice(["issue", "issue", "pull_request", "unknown"]),
            state=state,
            opened_at=chance.choice([opened, opened, None]) if closed is None else opened,
            closed_at=closed,
            comment_count=chance.choice([None, 0, 5, 12]),
            reaction_count=chance.choice([None, 0, 2, 3]),
            summary=chance.choice(["", "Ours."]),
            resolution=chance.choice(["", "Do this."]),
            **{fact.key: chance.choice(["", "", *fact.words.values]) for fact in FACTS},
        )
        issue.fixes.set(chance.sample(fixes, chance.choice([0, 0, 1, 2])))
        for node, source in {(chance.choice(nodes), chance.choice(sources)) for _ in range(chance.randrange(4))}:
            make_label(issue, node, source)


def holds(document: Document, condition: Condition, sources: Sequence[str]) -> bool:
    """Does the document fulfil the condition? In plain Python, from the engines' contract."""
    if condition.low is not None or condition.high is not None:
        number = document.numbers.get(condition.key)
        low, high = condition.low, condition.high
        return number is not None and (low is None or number >= low) and (high is None or number <= high)
    key, wanted, unwanted = condition.key, condition.wanted, condition.unwanted
    if sources and key in CODE_KEYS:
        wanted, unwanted, key = held_values(sources, key, wanted), held_values(sources, key, unwanted), "held"
    has = set(document.values.get(key, ()))
    return (not wanted or bool(has & set(wanted))) and not has & set(unwanted)


@pytest.mark.usefixtures("mixed")
class TestPostgresAndEngines:
    @settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(ANY_FILTERS)
    def test_are_asked_for_the_same_issues(self, params: dict[str, str]) -> None:
        found = asked(**params)
        assert found.errors == {}, params
        every = conditions_of(Request(conditions=found.conditions))
        expected = {
            document.id
            for document in documents(list(Issue.objects.values_list("pk", flat=True)))
            if all(holds(document, condition, chosen_sources(every)) for condition in every)
        }
        assert {issue.pk for issue in found.form.qs} == expected, params

    def test_every_filter_is_compared(self) -> None:
        assert {*VALUES, *RANGES} == set(KEYS) - {"type", "fix", "stage", "component", "hardware", "theme"}
