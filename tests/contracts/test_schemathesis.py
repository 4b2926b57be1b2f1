"""What the API answers is what its description promises: generated requests, and every row of the starter.

Deterministic and bounded, so that it is a gate and not a lottery.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import schemathesis
import yaml
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, assume, given
from hypothesis import settings as hypothesis_settings
from pytest_django import Settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from config.wsgi import application
from kb.filters.issues import IssueFilter
from kb.filters.lists import CauseLinkFilter, CrosswalkFilter, NodeFilter
from tests.kb.diagnose.runs import FAILED

pytestmark = [pytest.mark.contract, pytest.mark.django_db]
DESCRIBED = yaml.load((Path(__file__).parent / "openapi.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
DIAGNOSE, CHECK, UPGRADES = "/api/v1/diagnose", "/api/v1/check", "/api/v1/upgrades/"
REPORT = "/api/v1/check/report"
SIMILAR = "/api/v1/search/similar/"
PATHS = sorted(path for path, methods in DESCRIBED["paths"].items() if "get" in methods)
LISTS = [path for path in PATHS if "page_size" in str(DESCRIBED["paths"][path]["get"]["parameters"])]
# What is in no table has numbered pages only.
NUMBERED = {
    path for path in LISTS if "page" in {each.get("name") for each in DESCRIBED["paths"][path]["get"]["parameters"]}
}
LISTED = (NodeFilter, CrosswalkFilter, CauseLinkFilter)
TYPED = {"q", *IssueFilter.base_filters, *(name for each in LISTED for name in each.base_filters)}
# The client of these tests reads no compressed answers.
PLAIN = {"Accept-Encoding": "identity"}
bounded = hypothesis_settings(max_examples=10, derandomize=True, database=None, suppress_health_check=list(HealthCheck))


@pytest.fixture
def _kept_connection() -> Iterator[None]:
    """A served request gives its connection back; here the test's own transaction lives on it."""
    for moment in (request_started, request_finished):
        moment.disconnect(close_old_connections)
    yield
    for moment in (request_started, request_finished):
        moment.connect(close_old_connections)


@pytest.fixture
def api_schema(starter: None, _kept_connection: None, settings: Settings) -> Any:
    """The served description, over the real knowledge base, without a limit on requests."""
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "DEFAULT_THROTTLE_RATES": {"anon": None, "diagnosis": None}}
    settings.DIAGNOSIS_SHARE = 1_000
    return schemathesis.openapi.from_wsgi("/api/v1/openapi.json", application)


@pytest.mark.parametrize("path", PATHS)
def test_a_right_request_gets_a_declared_answer(api_schema: Any, path: str) -> None:
    @given(case=api_schema[path]["GET"].as_strategy())
    @bounded
    def ask(case: Any) -> None:
        # A cursor and `since` come from an answer, and `url` stands alone: the description cannot say so.
        case.query = {name: value for name, value in case.query.items() if name not in ("cursor", "since", "url")}
        # Which words and values there are stands in the codebook, and not in the description.
        may_be_refused = TYPED & set(case.query)
        case.call_and_validate(headers=PLAIN, excluded_checks=[positive_data_acceptance] if may_be_refused else [])

    ask()


@pytest.mark.parametrize("path", LISTS)
def test_a_wrong_request_is_refused_as_declared(api_schema: Any, path: str) -> None:
    @given(case=api_schema[path]["GET"].as_strategy(generation_mode=GenerationMode.NEGATIVE))
    @bounded
    def ask(case: Any) -> None:
        assume("" not in case.query.values())  # an empty filter is one that was not set, as a form sends it
        case.call_and_validate(headers=PLAIN)

    ask()


@pytest.mark.parametrize("how", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
@pytest.mark.parametrize("path", [DIAGNOSE, CHECK, REPORT, SIMILAR, UPGRADES])
def test_whatever_is_sent_gets_a_declared_answer(api_schema: Any, path: str, how: GenerationMode) -> None:
    @given(case=api_schema[path]["POST"].as_strategy(generation_mode=how))
    @bounded
    def ask(case: Any) -> None:
        # Whether there is a line of text in it is not for a description to say; and what is wrong as JSON may well be
        # a log.
        case.call_and_validate(headers=PLAIN, excluded_checks=[positive_data_acceptance, negative_data_rejection])

    ask()


def test_a_job_can_be_forgotten_as_declared(api_schema: Any) -> None:
    job = api_schema[DIAGNOSE]["POST"].Case(query={"wait": "no"}, body=FAILED, media_type="text/plain")
    number = job.call_and_validate(headers=PLAIN).json()["id"]
    for expected in (204, 404):
        case = api_schema[f"{DIAGNOSE}/jobs/{{job}}"]["DELETE"].Case(path_parameters={"job": number})
        assert case.call_and_validate(headers=PLAIN).status_code == expected


# The lists below one issue are asked for where that issue's rows are made.
@pytest.mark.parametrize("path", [path for path in LISTS if "{" not in path])
def test_every_row_has_the_promised_shape(api_schema: Any, path: str) -> None:
    operation = api_schema[path]["GET"]
    query: dict[str, Any] | None = {"page": "1"} if path in NUMBERED else {"cursor": ""}
    rows = 0
    while query:
        page = operation.Case(query=query | {"page_size": 100}).call_and_validate(headers=PLAIN).json()
        rows += len(page["results"])
        following = parse_qs(urlsplit(page["next"] or "").query)
        query = {name: following[name][0] for name in query} if following else None
    assert rows == page["count"] > 0
