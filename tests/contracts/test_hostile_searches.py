"""Whatever is asked, the search answers: the page, the API and the completions, with results or with what is wrong.

How long that takes is measured in tests/perf/test_hostile.py.
"""

from urllib.parse import urlencode

import pytest
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pytest_django import Settings

from kb.filters.issues import IssueFilter
from kb.search import Sort
from tests.contracts.hostile import QUERIES
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_fix, make_issue, make_label, make_node

pytestmark = [pytest.mark.contract, pytest.mark.django_db]
PAGE, SHORT, FULL, SUGGEST = "/issues/", "/api/v1/search/", "/api/v1/issues/", "/api/v1/search/suggest/"
FACES = (PAGE, SHORT, FULL, SUGGEST)
XSS = ("<script>alert(1)", "<img src=x")
bounded = hypothesis_settings(
    max_examples=150, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
# Pieces that mean something to a parser, beside any text at all.
pieces = st.sampled_from([
    '"', "-", ":", ",", "..", ">", "<=", "symptom:", "-symptom:", "is:", "has:fix", "framework:", "opened:>", "lines:",
    "hang", "oom", "zero3", "#", "/", "(", ")", "*", "^2", "~", "\\", "\n", "\t", " ", "\x00", "%", "'", "<b>",
])  # fmt: skip
texts = st.one_of(st.text(max_size=80), st.lists(st.one_of(pieces, st.text(max_size=5)), max_size=25).map("".join))
parameters = st.dictionaries(
    st.sampled_from(["q", "sort", "page", "match", *IssueFilter.base_filters]),
    st.one_of(texts, st.sampled_from(["hang", "-hang", "true", "2024", "10..20", *(sort.value for sort in Sort)])),
    max_size=4,
)


@pytest.fixture
def _searched(put_issues_in: PutIssuesIn, settings: Settings) -> None:
    """A small collection in each engine in turn, without a limit on requests."""
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "DEFAULT_THROTTLE_RATES": {"anon": None}}
    hang = make_node("hang", aliases=["deadlock"])
    for i in range(5):
        issue = make_issue(i + 1, title=f"Training hangs in ZeRO-3 at step {i}", body="RuntimeError: NCCL timeout")
        make_label(issue, hang)
        issue.fixes.add(make_fix(additions=i, deletions=1))
    put_issues_in()


def check(client: Client, path: str, query: str) -> None:
    """The answer is one that was promised, and nothing of the question is markup in it."""
    response = client.get(f"{path}?{query}")
    if path == PAGE:
        assert response.status_code in (200, 302, 400), response.status_code
        html = response.content.decode()
        assert not [one for one in XSS if one in html]
        # What was sent is said again a few times, not in every link.
        assert len(html) < 100_000 + 8 * len(query)
        return
    assert response.status_code in (200, 400, 404), response.content[:300]
    answer = response.json()
    if response.status_code == 200:
        assert set(answer) == ({"completions"} if path == SUGGEST else
            {"count", "next", "previous", "results", "facets", "query"})  # fmt: skip
    else:
        assert response.headers["Content-Type"] == "application/problem+json"
        assert answer["detail"]
        assert len(response.content) < 20_000


@pytest.mark.usefixtures("_searched")
@pytest.mark.parametrize("path", FACES)
def test_every_hostile_search_gets_an_answer(client: Client, path: str) -> None:
    client.raise_request_exception = False
    for query in QUERIES.values():
        check(client, path, query)


@pytest.mark.usefixtures("_searched")
def test_any_text_and_any_filters_get_an_answer(client: Client) -> None:
    client.raise_request_exception = False

    @given(params=parameters)
    @bounded
    def ask(params: dict[str, str]) -> None:
        query = urlencode(params, errors="surrogatepass")
        check(client, PAGE, query)
        check(client, SHORT, query)

    ask()


def test_a_text_that_is_too_long_is_refused_with_the_limit(client: Client) -> None:
    (fault,) = client.get(SHORT, {"q": "x" * 100_001}).json()["errors"]
    assert fault == {"parameter": "q", "detail": "Give at most 100,000 characters."}


def test_too_many_parameters_are_refused_with_the_reason(client: Client) -> None:
    response = client.get(f"{SHORT}?{QUERIES['too many parameters']}")
    assert response.status_code == 400
    assert "too many parameters" in response.json()["detail"]
