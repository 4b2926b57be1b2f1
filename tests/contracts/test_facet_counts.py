"""A facet's count is the number of results behind its address, whatever was asked for, on every engine."""

import datetime as dt
import random
from typing import Any

import pytest
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pytest_django import Settings

from tests.support.engines import PutIssuesIn
from tests.support.factories import (
    make_axis,
    make_fix,
    make_issue,
    make_label,
    make_node,
    make_repository,
    make_source,
    make_study,
)

pytestmark = [pytest.mark.contract, pytest.mark.django_db]
ISSUES = 40
SINGLE_CHOICE = {"state", "year", "has_fix", "small_fix", "trust"}
WORDS = ("hang", "crash", "nccl", "loader", "memory", "slow", "step", "rank")
bounded = hypothesis_settings(max_examples=25, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
texts = st.one_of(
    st.just(""),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join),
    st.sampled_from(['"hang step"', "hang -nccl", "hangg", "-slow", "symptom:hang rank", "is:open slow"]),
)
filters = st.fixed_dictionaries(
    {},
    optional={
        "framework": st.sampled_from(["vllm", "deepspeed", "vllm,deepspeed"]),
        "symptom": st.sampled_from(["hang", "hang-start", "crash,hang"]),
        "cause": st.just("race"),
        "state": st.sampled_from(["open", "closed", "-open"]),
        "year": st.sampled_from(["2023", "2023..2024"]),
        "has_fix": st.sampled_from(["true", "false"]),
        "source": st.sampled_from(["curated", "a-study,curated"]),
        "trust": st.sampled_from(["curated", "study"]),
        "comments": st.just(">3"),
        "kind": st.just("pull_request,issue"),
        "match": st.just("any"),
    },
)


@pytest.fixture
def _collection(put_issues_in: PutIssuesIn, settings: Settings) -> None:
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "DEFAULT_THROTTLE_RATES": {"anon": None}}
    chance = random.Random(3)  # noqa: S311
    hang = make_node("hang")
    symptoms = [hang, make_node("hang-start", parent=hang), make_node("crash")]
    causes = [make_node(code, axis=make_axis("root_cause")) for code in ("race", "misuse")]
    sources = [make_source(), make_source("a-study", kind="study", study=make_study())]
    repositories = [make_repository(), make_repository("vllm-project/vllm", "vllm")]
    for i in range(ISSUES):
        issue = make_issue(
            i + 1,
            repository=chance.choice(repositories),
            title=" ".join(chance.sample(WORDS, 3)),
            body=" ".join(chance.choices(WORDS, k=6)),
            kind=chance.choice(["issue", "issue", "issue", "pull_request"]),
            state=chance.choice(["open", "closed", "unknown"]),
            opened_at=chance.choice([None, *(dt.datetime(year, 5, 1, tzinfo=dt.UTC) for year in (2022, 2023, 2024))]),
            comment_count=chance.randint(0, 9),
        )
        for node in {chance.choice(symptoms), chance.choice(causes)}:
            make_label(issue, node, chance.choice(sources))
        if chance.random() < 0.5:
            issue.fixes.add(make_fix(additions=chance.choice([1, 50, None]), deletions=1))
    put_issues_in()


@pytest.mark.usefixtures("_collection")
def test_every_count_is_what_its_address_finds(client: Client) -> None:
    followed = 0

    @given(text=texts, chosen=filters)
    @bounded
    def ask(text: str, chosen: dict[str, str]) -> None:
        nonlocal followed
        found = client.get("/api/v1/search/", {"q": text, **chosen, "page_size": "1"}).json()
        for value in (value for group in found["facets"] for value in addable(group, text, chosen)):
            there = client.get(value["toggle_url"]).json()
            assert there["count"] == value["count"], (text, chosen, value)
            followed += 1

    ask()
    assert followed > 100


def addable(group: Any, text: str, chosen: dict[str, str]) -> list[Any]:
    """The values whose address adds just them.

    Where a group has a choice already, a further one widens it, and the count says what that value has for itself.
    """
    key = group["key"]
    if key not in SINGLE_CHOICE and (key in chosen or f"{key}:" in text):
        return []
    return [value for value in group["values"] if not value["selected"]]
