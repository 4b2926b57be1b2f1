"""Every tool through the SDK's own client: typed, short, with sources; what goes wrong says what to do."""

from typing import Any

import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ResourceTemplateReference, TextResourceContents

from kb.core.tools.catalogue import TOOLS
from kb.models import Issue
from tests.kb.mcp.agent import call, with_agent
from tests.support.engines import PutIssuesIn

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("starter")]
RECORD = "https://github.com/deepspeedai/DeepSpeed/issues/860"
OUT_OF_MEMORY = """\
2026-11-20 10:00:01 loading DeepSpeed engine, stage 3
2026-11-20 10:00:02 iteration 12 loss 2.1
[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has 79.15 GiB
"""
SETUP = "torch==2.3.0\nvllm==0.6.0\ndeepspeed==0.14.0\ntransformers==4.40.0\n"
MOST_BYTES = 6_000


def data(result: Any) -> Any:
    assert not result.is_error, result.content
    return result.structured_content


def problem(result: Any) -> str:
    assert result.is_error
    return str(result.content[0].text)


def text_of(uri: str) -> str:
    content = with_agent(lambda client: client.read_resource(uri)).contents[0]
    assert isinstance(content, TextResourceContents)
    return content.text


class TestSearch:
    @pytest.fixture(autouse=True)
    def _index(self, search_index: PutIssuesIn) -> None:
        search_index()

    def test_finds_the_record_with_its_source_and_what_to_do(self) -> None:
        answer = data(call("search_faults", query="hang in ZeRO-3"))
        first = answer["faults"][0]
        assert answer["is_close"] is True
        assert first["address"] == RECORD
        assert first["certainty"] == "confirmed"
        assert first["do_now"]
        assert len(answer["faults"]) == 5

    def test_pages_follow_each_other_without_gap_or_repeat(self) -> None:
        pages = [data(call("search_faults", query="CUDA out of memory"))]
        # An answer that would be too long ends early, so two pages of five may hold fewer than ten faults.
        for _ in range(2):
            pages.append(data(call("search_faults", query="CUDA out of memory", cursor=pages[-1]["next_cursor"])))
        longer = data(call("search_faults", query="CUDA out of memory", limit=10))["faults"]
        ids = [fault["id"] for page in pages for fault in page["faults"]]
        assert len(longer) > 5
        assert ids[: len(longer)] == [fault["id"] for fault in longer]

    def test_filters_narrow_and_an_unknown_name_gets_all_known_ones(self) -> None:
        answer = data(call("search_faults", query="hang", framework="vllm", symptom="hang"))
        assert {fault["framework"] for fault in answer["faults"]} == {"vLLM"}
        assert "deepspeed" in problem(call("search_faults", query="hang", framework="nope"))
        assert "hang-collective" in problem(call("search_faults", query="hang", symptom="nope"))

    def test_nothing_close_is_said(self) -> None:
        assert data(call("search_faults", query="borrow of moved value basket"))["is_close"] is False


class TestFault:
    @pytest.mark.parametrize(
        "name", ["{id}", "{page}", RECORD, f"{RECORD}#issuecomment-1", "deepspeedai/DeepSpeed#860"]
    )
    def test_is_found_by_whatever_names_it(self, name: str) -> None:
        issue = Issue.objects.get(url=RECORD)
        answer = data(call("get_fault", id=name.format(id=issue.public_id.lower(), page=issue.get_absolute_url())))
        assert answer["id"] == issue.public_id
        assert (answer["address"], answer["certainty"]) == (RECORD, "confirmed")
        assert answer["causes"]
        assert answer["labelled_by"]
        assert answer["fixes"][0]["address"].startswith("https://github.com/")

    def test_is_found_by_our_number(self) -> None:
        number = Issue.objects.get(url=RECORD).pk
        assert data(call("get_fault", id=str(number)))["address"] == RECORD

    @pytest.mark.parametrize("name", ["nope", "999999999", "99999999999999", "a/b#1", "FB-999999", "\u202e"])
    def test_an_unknown_name_says_how_to_find_one(self, name: str) -> None:
        assert "search_faults" in problem(call("get_fault", id=name))


class TestLog:
    def test_the_first_failure_is_marked_and_causes_have_their_numbers(self) -> None:
        answer = data(call("diagnose_log", text=OUT_OF_MEMORY))
        first = answer["lines"][0]
        assert (first["line"], first["is_first_failure"]) == (3, True)
        assert first["untrusted_quote"].endswith("79.15 GiB")
        assert answer["symptom"] == "oom-gpu"
        counted = answer["causes"][0]["counted"]
        assert counted["low"] <= counted["share"] <= counted["high"]
        assert counted["n"] > 0
        assert counted["source"]
        assert answer["restart"]["right"]["n"] > 0

    @pytest.mark.parametrize(("text", "part"), [("\0\1\2", "Give the log itself"), ("", "text")])
    def test_what_is_no_log_is_refused_in_words(self, text: str, part: str) -> None:
        assert part in problem(call("diagnose_log", text=text))


class TestSetup:
    def test_findings_have_version_reason_and_source(self) -> None:
        answer = data(call("check_setup", text=SETUP))
        finding = answer["findings"][0]
        assert answer["compared"] > 900
        assert answer["packages"] == 4
        assert finding["address"].startswith("https://")
        assert finding["installed"]
        assert finding["untrusted_reasons"]

    def test_an_empty_one_says_what_to_give(self) -> None:
        assert "list of packages" in problem(call("check_setup", text="  \n"))


class TestCauses:
    def test_each_has_count_interval_and_examples(self) -> None:
        answer = data(call("likely_causes", symptom="hang"))
        cause = answer["causes"][0]
        assert cause["low"] <= cause["share"] <= cause["high"]
        assert cause["of"] == answer["with_known_cause"] <= answer["issues"]
        assert round(cause["n"] / cause["of"], 3) == cause["share"]
        assert cause["examples"]
        assert answer["sources"]

    def test_a_framework_narrows_them(self) -> None:
        few = data(call("likely_causes", symptom="hang", framework="deepspeed"))
        assert few["issues"] < data(call("likely_causes", symptom="hang"))["issues"]

    def test_an_unknown_symptom_gets_all_known_ones(self) -> None:
        assert "hang-collective" in problem(call("likely_causes", symptom="nope"))


CALLS: list[tuple[str, dict[str, str]]] = [
    ("search_faults", {"query": "CUDA out of memory"}),
    ("search_faults", {"query": "hang"}),
    ("get_fault", {"id": RECORD}),
    ("diagnose_log", {"text": OUT_OF_MEMORY * 40}),
    ("check_setup", {"text": SETUP}),
    ("likely_causes", {"symptom": "crash"}),
]


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
def test_default_answers_are_short_and_longer_ones_hold_more(
    search_index: PutIssuesIn, tool: str, arguments: dict[str, str]
) -> None:
    """The whole result, text and data, at three bytes a token."""
    search_index()
    short, longer = call(tool, **arguments), call(tool, **arguments, more=True)
    assert len(short.model_dump_json(by_alias=True, exclude_none=True)) <= MOST_BYTES
    assert len(longer.model_dump_json(by_alias=True, exclude_none=True)) <= 4 * MOST_BYTES
    assert len(str(data(longer))) >= len(str(data(short)))


def test_the_list_of_tools_says_what_they_are() -> None:
    listed = with_agent(lambda client: client.list_tools()).tools
    assert [tool.name for tool in listed] == [tool.name for tool in TOOLS]
    for tool in listed:
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert not tool.annotations.open_world_hint
        assert tool.output_schema is not None


@pytest.mark.parametrize(
    ("tool", "arguments", "part"),
    [
        ("nope", {}, "The tools are: search_faults"),
        ("search_faults", {}, "query: Field required"),
        ("search_faults", {"query": "x", "limit": 21}, "limit: Input should be less than or equal to 20"),
        ("search_faults", {"query": "x", "surprise": 1}, "search_faults takes: more, query"),
        ("likely_causes", {"symptom": "x" * 61}, "symptom:"),
    ],
)
def test_wrong_arguments_are_named(tool: str, arguments: dict[str, Any], part: str) -> None:
    assert part in problem(call(tool, **arguments))


class TestResources:
    def test_playbooks_are_listed_in_pages_and_read(self) -> None:
        async def all_of_them(client: Client) -> list[str]:
            uris: list[str] = []
            cursor = None
            while True:
                page = await client.list_resources(cursor=cursor)
                uris += [str(resource.uri) for resource in page.resources]
                cursor = page.next_cursor
                if cursor is None:
                    return uris

        uris = with_agent(all_of_them)
        assert len(uris) == len(set(uris)) > 50
        assert "faultbook://playbooks/zero-3-hang" in uris
        assert '"steps"' in text_of("faultbook://playbooks/zero-3-hang")

    def test_a_record_is_read_by_its_id(self) -> None:
        resource = data(call("get_fault", id=RECORD))["resource"]
        assert RECORD in text_of(resource)

    @pytest.mark.parametrize("uri", ["faultbook://records/nope", "faultbook://playbooks/nope", "file:///etc/passwd"])
    def test_an_unknown_one_is_refused(self, uri: str) -> None:
        async def refused(client: Client) -> None:
            with pytest.raises(MCPError, match=r"search_faults|resources/templates/list"):
                await client.read_resource(uri)

        with_agent(refused)

    def test_names_are_completed(self) -> None:
        async def complete(client: Client) -> list[list[str]]:
            found = []
            for template, name, value in (("records", "id", "fb-0008"), ("playbooks", "slug", "zero")):
                uri = f"faultbook://{template}/{{{name}}}"
                done = await client.complete(ResourceTemplateReference(uri=uri), {"name": name, "value": value})
                found.append(done.completion.values)
            return found

        records, playbooks = with_agent(complete)
        assert len(records) == 20
        assert set(records) <= set(Issue.objects.values_list("public_id", flat=True))
        assert playbooks == ["zero-3-hang", "zero-3-saves-empty-weights"]
