"""The double in a process of its own, and how it is steered from outside."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.doubles.shared.clients import connect

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def outside() -> Iterator[httpx.Client]:
    """A client of a double that runs elsewhere."""
    command = [sys.executable, "-m", "tests.doubles.github", "--issues", "30", "--pulls", "10", "--seed", "4"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        told = json.loads(process.stdout.readline())
        with connect(told["api_url"], "abc") as client:
            yield client
        process.terminate()
        assert process.wait(5) == 0


@pytest.fixture
def steer(outside: httpx.Client) -> Iterator[Any]:
    """Give an order; the double is as new before and after."""

    def steer(name: str, order: Any = None, status: int = 200) -> Any:
        answer = outside.post(f"/_double/{name}", json=order if order is not None else {})
        assert answer.status_code == status, answer.text
        return answer.json()

    steer("reset", {"world": True})
    yield steer
    steer("reset", {"world": True})


def test_the_world_is_changed_and_told(outside: httpx.Client, steer: Any) -> None:
    rows = steer("truth")["rows"]
    assert len(rows) == 40
    number = next(int(number) for number, row in rows.items() if row["kind"] == "issue" and row["state"] == "open")
    done = steer("change", [
        {"do": "edit", "number": number, "title": "From outside"},
        {"do": "comment", "number": number, "body": "Hello."},
        {"do": "open_pull", "closes": [number], "size": [4, 3, 2]},
        {"do": "add_repository", "full_name": "octo/new"},
    ])["done"]  # fmt: skip
    steer("change", {"do": "edit_comment", "number": number, "comment": done[1]["id"], "body": "Hello again."})
    steer("change", {"do": "merge_closing", "number": done[2]["number"]})
    told = steer("truth")
    assert (told["rows"][str(number)]["title"], told["rows"][str(number)]["state"]) == ("From outside", "closed")
    assert told["rows"][str(number)]["fix_prs"][0]["additions"] == 4
    assert told["comments"][str(number)][-1]["body"] == "Hello again."
    moved = steer("change", {"do": "transfer", "number": number, "to": "octo/new"})["done"][0]
    assert steer("truth")["rows"][str(number)]["transferred_to"] == "octo/new#1"
    assert outside.get(f"/repos/octo/new/issues/{moved['number']}").json()["title"] == "From outside"
    assert len(steer("change", {"do": "change_some", "fraction": 0.2, "seed": 3})["done"][0]) == 8


def test_links_are_made_and_taken_back(steer: Any) -> None:
    issue = steer("change", {"do": "open_issue", "title": "Linked", "labels": ["bug"]})["done"][0]["number"]
    pull = steer("change", {"do": "open_pull"})["done"][0]["number"]
    steer("change", {"do": "link", "pull": pull, "issue": issue, "how": "sidebar"})
    assert [fix["number"] for fix in steer("truth")["rows"][str(issue)]["fix_prs"]] == [pull]
    steer("change", {"do": "unlink", "pull": pull, "issue": issue})
    assert steer("truth")["rows"][str(issue)]["fix_prs"] == []


def test_faults_and_limits_are_set_and_the_log_is_read(outside: httpx.Client, steer: Any) -> None:
    steer("fault", {"kind": "server_error", "count": 1, "status": 503})
    assert [outside.get("/repos/octo/engine").status_code for _ in range(2)] == [503, 200]
    assert steer("fault")["faults"] == [
        {"kind": "server_error", "count": 1, "hits": 1, "options": {"status": 503}}
    ]  # fmt: skip
    steer("fault", {"clear": True, "limits": {"core": 1}})
    assert [outside.get("/repos/octo/engine").status_code for _ in range(3)] == [200, 403, 403]
    log = steer("requests", {"after": 2, "clear": True})
    assert [(line["status"], line["met_limit"], line["was_limited"]) for line in log["requests"]] == [
        (200, False, False), (403, True, False), (403, False, True),
    ]  # fmt: skip
    assert steer("requests")["count"] == 0


def test_the_clock_is_moved(outside: httpx.Client, steer: Any) -> None:
    before = steer("clock")["now"]
    assert steer("clock", {"move": 86_400})["now"] >= before + 86_400
    steer("clock", {"skew": -3_600})
    assert steer("clock")["skew"] == -3_600
    assert steer("clock", {"now": "2099-01-01T00:00:00+00:00"})["now"] >= 4_070_908_800


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("change", {"do": "nonsense"}),
        ("change", {"do": "edit", "number": 99_999, "title": "x"}),
        ("change", {"do": "edit", "number": 1, "colour": "x"}),
        ("change", {"do": "edit", "repo": "no/body", "number": 1}),
        ("fault", {"kind": "nonsense"}),
        ("nonsense", {}),
    ],
)
def test_orders_that_make_no_sense_are_refused(steer: Any, name: str, order: dict[str, Any]) -> None:
    assert steer(name, order, status=400)["message"]
