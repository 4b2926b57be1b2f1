"""The API's description is complete, kept under review, and its examples are real."""

import datetime as dt
import io
import json
import os
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import call_command
from django.test import Client
from django.urls import resolve

from kb.api import examples
from kb.filters.issues import IssueFilter
from kb.filters.lists import FixFilter
from kb.models import CauseLink, Comment, Crosswalk, DiagnosisJob, Fix, Issue, Repository
from tests.kb.check.faults import FREEZE
from tests.kb.core.reports.test_completeness import HANG
from tests.kb.diagnose.runs import FAILED
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_change, make_history, make_issue, make_range

pytestmark = [pytest.mark.contract, pytest.mark.django_db]
SNAPSHOT = Path(__file__).parent / "openapi.yaml"
MOST_OF_ONE_KIND = 3
JOB = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"
UPDATE = os.environ.get("UPDATE_OPENAPI", "") not in ("", "0")
# Everything else only reads, and can be held against an ETag.
OTHER_METHODS = {
    "/api/v1/check": {"post"},
    "/api/v1/check/report": {"post"},
    "/api/v1/diagnose": {"post"},
    "/api/v1/upgrades/": {"get", "post"},
    "/api/v1/diagnose/jobs/{job}": {"get", "delete"},
    "/api/v1/search/similar/": {"get", "post"},
}
HOW_TO_UPDATE = (
    "The API's description is no longer what tests/contracts/openapi.yaml says. Within v1 keys, parameters and "
    "addresses may be added, never removed, renamed or given another meaning. If the change keeps that promise, "
    "renew the file with\n\n    make openapi\n\n"
    "and commit it together with the change."
)


def described() -> str:
    out = io.StringIO()
    call_command("spectacular", validate=True, fail_on_warn=True, stdout=out)
    return out.getvalue()


def addresses() -> dict[str, str]:
    """Where the row behind each example is found."""
    issue = Issue.objects.get(url="https://github.com/deepspeedai/DeepSpeed/issues/4808")
    fix = Fix.objects.get(url="https://github.com/deepspeedai/DeepSpeed/pull/5008")
    relation = Crosswalk.objects.filter(to_node__code="hang").earliest("from_node__axis__scheme__slug", "pk")
    link = CauseLink.objects.filter(symptom__code="hang", symptom__axis__code="symptom").latest("issues")
    return {
        "issue": f"issues/{issue.pk}/",
        "fix": f"fixes/{fix.pk}/",
        "framework": "frameworks/deepspeed/",
        "repository": f"repositories/{Repository.objects.get(full_name='deepspeedai/DeepSpeed').pk}/",
        "scheme": "schemes/house/",
        "node": "nodes/house/symptom/hang/",
        "crosswalk": f"crosswalks/{relation.pk}/",
        "cause-link": f"cause-links/{link.pk}/",
        "study": "studies/p1-distributed-frameworks/",
        "source": "sources/curated/",
        "signal": "signals/xid-off-the-bus/",
        "claim": "claims/p1-distributed-frameworks/small-fixes/",
        "study-table": "studies/inference-engines/tables/symptoms/",
        "playbook": "playbooks/revert/",
        "fault-playbook": "fault-playbooks/nccl-watchdog-timeout/",
        "priorities": "priorities/",
        "hint": "hints/root_cause/collective-mismatch/",
        "charts": "charts/",
        "chart": "charts/symptom-cause/?framework=deepspeed&symptom=hang",
        "completions": "search/suggest/?q=hang+symptom:nan",
    }


def kept(name: str) -> Path:
    return Path(examples.__file__).parent / f"{name}.json"


def renumbered(value: Any, seen: dict[int, int]) -> Any:
    """The same with row numbers that do not depend on what the database held before."""
    if isinstance(value, dict):
        return {
            key: seen.setdefault(one, len(seen) + 1) if key == "id" and isinstance(one, int) else renumbered(one, seen)
            for key, one in value.items()
        }
    return [renumbered(one, seen) for one in value] if isinstance(value, list) else value


@pytest.mark.usefixtures("starter")
@pytest.mark.parametrize(
    "name",
    [
        "issue", "fix", "framework", "repository", "scheme", "node", "crosswalk", "cause-link", "study", "source",
        "signal", "claim", "study-table", "playbook", "fault-playbook", "priorities", "hint",
        "charts", "chart", "completions",
    ],
)  # fmt: skip
def test_an_example_is_what_the_api_answers(client: Client, name: str) -> None:
    answer = client.get(f"/api/v1/{addresses()[name]}")
    assert answer.status_code == 200
    keep_or_compare(name, answer.content)


@pytest.mark.usefixtures("starter")
def test_the_example_of_a_result_is_what_the_search_answers(client: Client, search_index: PutIssuesIn) -> None:
    search_index()
    answer = client.get("/api/v1/search/?q=generate+hangs+in+ZeRO-3&page_size=1&facets=false").json()
    keep_or_compare("result", json.dumps(answer["results"][0]).encode())


@pytest.mark.usefixtures("starter")
def test_the_example_of_a_judged_report_is_what_the_api_answers(client: Client, search_index: PutIssuesIn) -> None:
    search_index()
    known = Issue.objects.get(url="https://github.com/deepspeedai/DeepSpeed/issues/4808")
    report = {"title": f"{known.heading} again", "body": "\n".join(known.recognise), "framework": "deepspeed"}
    answer = client.post("/api/v1/search/similar/", report, content_type="application/json").json()
    answer["matches"] = answer["matches"][:1]
    keep_or_compare("similar-report", json.dumps(answer).encode())


def test_the_example_of_a_comment_is_what_the_api_answers(client: Client) -> None:
    moment = dt.datetime(2024, 1, 2, 9, 30, tzinfo=dt.UTC)
    comment = Comment.objects.create(
        issue=make_issue(860),
        node_id="IC_1",
        ref="1880001234",
        author="a-maintainer",
        author_association="MEMBER",
        body="Setting `NCCL_DEBUG=INFO` shows which rank waits.",
        created_at=moment,
        updated_at=moment,
    )
    answer = client.get(f"/api/v1/issues/{comment.issue.pk}/comments/").json()
    keep_or_compare("comment", json.dumps(answer["results"][0]).encode())


def test_the_examples_of_versions_are_what_the_api_answers(client: Client) -> None:
    make_history("0.14.5", "0.15.0", "0.15.1")
    issue = make_issue(
        4888,
        heading="A run with ZeRO-3 waits for ever",
        summary="It waits in the first step.",
        public_id="FB-000103",
    )
    make_range(
        issue,
        introduced="0.14.5",
        introduced_by="lines",
        fixed="0.15.1",
        fixed_evidence=f"{issue.repository.url}/pull/6",
    )
    make_change(
        commit="c" * 40, pull_number=6, title="Fix a wait (#6)", missing=[[None, "0.15.1"]], first_releases=["0.15.1"],
        closes=[issue.url],
    )  # fmt: skip
    answer = client.get("/api/v1/upgrades/?package=deepspeed&from=0.15.0&to=0.15.1")
    keep_or_compare("upgrade", answer.content)
    keep_or_compare("osv", client.get(f"/api/v1/issues/{issue.pk}/osv/").content)


def test_the_examples_of_a_diagnosis_and_its_job_are_what_the_api_answers(client: Client) -> None:
    address = "/api/v1/diagnose?name=job.log"
    # Every new signal changes the version of all.
    diagnosis = client.generic("POST", address, FAILED, "text/plain").json() | {"signals_version": 3}
    keep_or_compare("diagnosis", json.dumps(diagnosis).encode())
    job = client.generic("POST", f"{address}&wait=no", FAILED, "text/plain").json()
    DiagnosisJob.objects.update(created_at=dt.datetime(2026, 1, 2, 9, 30, tzinfo=dt.UTC))
    found = client.get(job["url"]).json()
    told = found | {"expires_at": "2026-01-02T10:30:00Z", "id": JOB, "url": found["url"].replace(found["id"], JOB)}
    keep_or_compare("diagnosis-job", json.dumps(told).encode())


def test_the_example_of_a_check_is_what_the_api_answers(client: Client) -> None:
    texts = [{"name": "pip-freeze.txt", "text": FREEZE + "torchvision==0.20.1\n"}]
    answer = client.post("/api/v1/check", {"texts": texts}, "application/json").json()
    keep_or_compare("check", json.dumps(answer).encode())


def test_the_example_of_our_measures_is_what_the_api_answers(client: Client) -> None:
    answer = client.get("/api/v1/quality/?of=known_issues").json()
    for name in ("published", "not_measured"):
        answer[name] = answer[name][:1]
    answer["subjects"][0]["figures"] = answer["subjects"][0]["figures"][:2]
    answer["published"][0]["rows"] = answer["published"][0]["rows"][:1]
    keep_or_compare("quality", json.dumps(answer).encode())


def test_the_example_of_a_report_check_is_what_the_api_answers(client: Client) -> None:
    answer = client.post("/api/v1/check/report", HANG, "text/plain").json()
    keep_or_compare("report-check", json.dumps(answer).encode())


@pytest.mark.usefixtures("starter")
def test_every_address_in_the_examples_answers(client: Client) -> None:
    """But for the made-up job's."""
    texts = (path.read_text(encoding="utf-8") for path in Path(examples.__file__).parent.glob("*.json"))
    found = {
        one for text in texts for one in re.findall(r'"https://faultbook\.example(/[^"]*)"', text) if JOB not in one
    }
    assert len(found) > 30
    assert {one: status for one in found if (status := client.get(one).status_code) != 200} == {}


@pytest.mark.usefixtures("starter")
def test_every_example_of_a_parameter_gives_something(client: Client, search_index: PutIssuesIn) -> None:
    search_index()
    asked = set()
    for path, methods in yaml.safe_load(described())["paths"].items():
        for parameter in methods.get("get", {}).get("parameters", ()):
            for shown in parameter.get("examples", {}).values():
                answer = client.get(path.format(slug="symptom-cause"), {parameter["name"]: shown["value"]})
                assert answer.status_code == 200, (path, shown)
                assert answer.json().get("count", 1), (path, shown)
                asked.add((path, parameter["name"]))
    assert {("/api/v1/issues/", "q"), ("/api/v1/issues/", "url"), ("/api/v1/search/similar/", "title")} <= asked


def keep_or_compare(name: str, answer: bytes) -> None:
    text = answer.decode().replace("http://testserver/", "https://faultbook.example/")
    real = renumbered(json.loads(text), {})
    if UPDATE:
        kept(name).write_text(json.dumps(real, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        examples._read.cache_clear()
    assert set(json.loads(kept(name).read_text(encoding="utf-8"))) == set(real), HOW_TO_UPDATE


def test_the_description_is_the_one_under_review() -> None:
    now = described()
    if UPDATE:
        SNAPSHOT.write_text(now, encoding="utf-8")
    assert SNAPSHOT.read_text(encoding="utf-8") == now, HOW_TO_UPDATE


class TestTheServedDescription:
    @pytest.fixture
    def document(self, client: Client) -> Any:
        return client.get("/api/v1/openapi.json").json()

    def test_both_forms_say_the_same_as_the_file(self, client: Client, document: Any) -> None:
        assert client.get("/api/v1/openapi.yaml").content.decode() == described()
        assert document["openapi"] == "3.1.0"

    def test_every_parameter_status_and_operation_is_described(self, document: Any) -> None:
        for path, methods in document["paths"].items():
            assert set(methods) == OTHER_METHODS.get(path, {"get"})
            for operation in methods.values():
                silent = [one["name"] for one in operation.get("parameters", ()) if not one.get("description")]
                assert silent == [], path
                assert operation["summary"], path
                assert operation["description"], path
                assert {"400", "406", "429"} <= set(operation["responses"]), path
                assert all(one["description"] for one in operation["responses"].values()), path
            if path not in OTHER_METHODS:
                assert {"200", "304"} <= set(methods["get"]["responses"]), path

    def test_every_key_of_every_shape_is_described(self, document: Any) -> None:
        shapes = document["components"]["schemas"]
        silent = [
            f"{name}.{key}"
            for name, shape in shapes.items()
            for key, one in shape.get("properties", {}).items()
            if "description" not in one and key != "results"
        ]
        assert silent == []

    @pytest.mark.parametrize(
        ("path", "filters"),
        [("issues", IssueFilter), ("search", IssueFilter), ("charts/{slug}", IssueFilter), ("fixes", FixFilter)],
    )
    def test_every_filter_of_the_pages_is_a_parameter(self, document: Any, path: str, filters: Any) -> None:
        names = {one["name"] for one in document["paths"][f"/api/v1/{path}/"]["get"]["parameters"]}
        assert set(filters.base_filters) <= names

    def test_every_list_and_row_has_a_real_example(self, document: Any) -> None:
        for path, methods in document["paths"].items():
            operation = methods.get("get") or methods["post"]
            content = operation["responses"]["200"]["content"]["application/json"]
            assert path == "/api/v1/" or content["examples"], path


@pytest.mark.usefixtures("starter")
def test_what_examples_name_is_there(client: Client) -> None:
    """Of each kind of page or address a few: hundreds are of one kind."""
    texts = "\n".join(path.read_text(encoding="utf-8") for path in Path(examples.__file__).parent.glob("*.json"))
    named: dict[str, set[str]] = defaultdict(set)
    for path in sorted(set(re.findall(r'"https://faultbook\.example(/[^"#]*)', texts))):
        named[resolve(path.partition("?")[0]).view_name].add(path)
    # The example of a job has a number that nobody can know.
    del named["api-diagnosis-job"]
    asked = [path for paths in named.values() for path in sorted(paths)[:MOST_OF_ONE_KIND]]
    assert len(asked) > len(named) > 8
    assert [path for path in asked if client.get(path).status_code != 200] == []
