"""Everything that docs/searching.md tells people to type finds something among the curated records."""

import re
from collections.abc import Iterator

import pytest
from django.http import QueryDict
from django.test import Client

from kb.models import Issue
from kb.search import search
from kb.starter import example
from tests.docs.markdown import GUIDES, INLINE, Page, pages
from tests.support.engines import PutIssuesIn

pytestmark = pytest.mark.django_db
NAMED = re.compile(r"[\w./-]*\w#\d+|https://github\.com/[\w.-]+/[\w.-]+/issues/\d+")
(SEARCHING,) = pages("docs/searching.md")


def section(page: Page, heading: str) -> str:
    """What stands between a heading and the next one."""
    (text,) = re.findall(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", page.prose, re.MULTILINE | re.DOTALL)
    return str(text)


def typed(heading: str) -> Iterator[str]:
    """What stands in the first column of the tables below a heading; `>10` goes on with the key before it."""
    key = ""
    for row in re.findall(r"^\| (`[^|]+`) \|", section(SEARCHING, heading), re.MULTILINE):
        for span in INLINE.findall(row):
            key = span.partition(":")[0] if ":" in span else key
            yield f"{key}:{span}" if re.match(r"[<>]", span) else span


def asked(text: str) -> QueryDict:
    params = QueryDict(mutable=True)
    params["q"] = text
    return params


@pytest.mark.usefixtures("starter")
def test_what_is_to_be_typed_is_understood_and_finds_something(search_index: PutIssuesIn) -> None:
    search_index()
    wrong = {}
    for text in (*typed("Words"), *typed("Filters"), *typed("Ranges"), *typed("Examples")):
        if NAMED.fullmatch(text):
            continue
        found = search(asked(text), limit=3, with_facets=False)
        if not found.total or not found.is_close or found.query.notices:
            wrong[text] = (found.total, found.query.notices)
    assert wrong == {}


@pytest.mark.usefixtures("starter")
def test_the_examples_find_what_they_say(search_index: PutIssuesIn) -> None:
    search_index()
    memory, nccl, oom, hangs = (
        [row.card for row in search(asked(text), limit=50, with_facets=False).rows] for text in typed("Examples")
    )
    assert {card.framework for card in memory} <= {"vllm", "sglang"}
    assert all(card.fix for card in memory)
    assert "vllm" not in {card.framework for card in nccl}
    assert {card.state for card in nccl} == {"closed"}
    issues = Issue.objects.filter(url__in=[card.url for card in oom])
    assert not issues.filter(resolution="").exists()
    assert not issues.filter(labels__node__code="host-memory").exists()
    assert {card.opened_at.year for card in hangs if card.opened_at} <= {2023, 2024}


def named_issues() -> set[str]:
    """The issues that README, docs and the site's hints name, by short name or address."""
    return {example.NAME, example.URL, example.OLD_URL} | {
        span for page in GUIDES for span in (*page.spans, *re.findall(r"https://\S+/issues/\d+", page.text))
        if NAMED.fullmatch(span) and "OWNER" not in span
    }  # fmt: skip


@pytest.mark.usefixtures("starter")
@pytest.mark.parametrize("name", sorted(named_issues()))
def test_an_issue_that_is_named_as_an_example_has_a_cause_and_a_fix(name: str, client: Client) -> None:
    response = client.get("/issues/", {"q": name}, follow=True)
    assert response.redirect_chain, name
    issue = response.context["issue"]
    assert issue.labels.filter(node__axis__code="root_cause").exists()
    assert issue.fixes.exists()
    assert issue.resolution
    assert issue.workaround or issue.state == "closed"


@pytest.mark.usefixtures("starter")
def test_the_example_answers_everything(client: Client) -> None:
    """Symptom with its error line, cause with its source, fix, first release, workaround: nothing is left open."""
    answer = client.get("/issues/", {"q": example.NAME}, follow=True).context["answer"]
    assert answer.symptoms
    assert answer.line
    assert answer.causes
    assert answer.cause.sources
    assert answer.order.startswith("Upgrade to vLLM ")
    assert answer.resolution.text
    assert answer.resolution.sources
    assert answer.workaround.text
    assert answer.workaround.sources
    assert not answer.unknown
    assert client.get("/api/v1/issues/", {"q": example.NAME}).json()["results"][0]["url"] == example.URL


def test_no_template_names_another() -> None:
    named = [f"{page}: {found}" for page in pages("templates/**/*.html") for found in re.findall(r"\w#\d+", page.text)]
    assert named == []
