"""What the API and the command say of an upgrade."""

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from kb.api.serializers.upgrades import UpgradeSerializer
from kb.models import Issue
from tests.kb.api.conftest import Reader
from tests.support.factories import make_change, make_history, make_issue, make_range

pytestmark = pytest.mark.django_db
GIVEN = {"package": "deepspeed", "from": "0.14.2", "to": "0.15.4"}


@pytest.fixture(autouse=True)
def world() -> None:
    make_history("0.14.2", "0.15.0", "0.15.4")
    issue = make_issue(7, heading="Waits in all_gather", summary="It stops.")
    make_range(issue, introduced="0.14.0", introduced_by="lines", fixed="0.15.0")
    make_range(make_issue(8, heading="Never ends", summary="It runs."), introduced="0.15.1", introduced_by="reported")
    for number in range(101):
        make_change(title=f"Fix {number}", missing=[[None, "0.15.0"]], first_releases=["0.15.0"], closes=[issue.url])


def told(*args: str) -> str:
    out = io.StringIO()
    call_command("upgrade", *args, stdout=out)
    return out.getvalue()


class TestApi:
    def test_every_key_is_declared_and_filled(self, read: Reader) -> None:
        answer = read("upgrades/", **GIVEN)
        assert set(answer) == set(UpgradeSerializer.keys())
        (fixed,) = answer["fixed"]
        assert fixed["title"] == "Waits in all_gather"
        assert fixed["page"] == f"http://testserver/issues/{Issue.objects.get(ref='7').public_id}"
        assert fixed["fixed"] == {"version": "0.15.0", "by": "git", "evidence": None}
        assert fixed["introduced"]["by"] == "lines"
        assert [fault["name"] for fault in answer["first_seen"]] == ["DeepSpeed#8"]
        assert answer["history"]["repository"] == "https://github.com/deepspeedai/DeepSpeed"

    def test_fixes_come_in_pages(self, read: Reader) -> None:
        assert read("upgrades/", **GIVEN)["fix_count"] == 101
        assert len(read("upgrades/", **GIVEN, page=2)["fixes"]) == 1

    def test_a_downgrade_is_the_upgrade_back(self, read: Reader) -> None:
        swapped = read("upgrades/", **GIVEN | {"from": "0.15.4", "to": "0.14.2"})
        assert (swapped["from_version"], swapped["to_version"]) == ("0.14.2", "0.15.4")

    @pytest.mark.parametrize("name", ["nothing", "deepspeed\x00", "\x00"])
    def test_a_package_without_versions_is_not_found(self, read: Reader, name: str) -> None:
        assert "No history of this package" in read("upgrades/", **GIVEN | {"package": name}, expect=404)["detail"]

    @pytest.mark.parametrize(("given", "wrong"), [({"from": "latest"}, "from"), ({"to": ""}, "to")])
    def test_a_mistake_is_named(self, read: Reader, given: dict[str, str], wrong: str) -> None:
        errors = read("upgrades/", **GIVEN | given, expect=400)["errors"]
        assert [error["parameter"] for error in errors] == [wrong]


class TestSetUp:
    ADDRESS = "/api/v1/upgrades/?package=deepspeed&from=0.14.2&to=0.15.4"

    def test_faults_that_it_cannot_have_are_excluded(self, client: Client) -> None:
        Issue.objects.filter(ref="7").update(affects_when="zero_stage == 3")
        for stage, excluded in ((2, 1), (3, 0)):
            text = json.dumps({"zero_optimization": {"stage": stage}, "train_batch_size": 8})
            answer = client.post(self.ADDRESS, {"texts": [{"text": text}]}, "application/json").json()
            assert (answer["excluded"], len(answer["fixed"])) == (excluded, 1 - excluded)

    @pytest.mark.parametrize(
        ("content", "kind", "status"),
        [(" ", "text/plain", 400), ("{}", "application/json", 400), ("a==1", "image/png", 415)],
    )
    def test_what_is_none_is_refused(self, client: Client, content: str, kind: str, status: int) -> None:
        assert client.post(self.ADDRESS, content, kind).status_code == status

    def test_its_parameters_are_checked_too(self, client: Client) -> None:
        assert client.post("/api/v1/upgrades/?package=deepspeed", "a==1", "text/plain").status_code == 400


class TestCommand:
    def test_its_text_says_what_is_fixed_and_by_which_proof(self) -> None:
        text = told("deepspeed", "0.14.2", "0.15.4")
        for line in (
            "1 fault fixed, 1 first seen, 0 still open, 0 maybe.",
            "  Waits in all_gather [symptom unknown]",
            "lines stand since 0.14.0, fixed in 0.15.0 (from git)",
            "first reported on 0.15.1, no fixed version known",
        ):
            assert line in text, line

    def test_a_set_up_excludes_what_it_rules_out(self, tmp_path: Path) -> None:
        Issue.objects.filter(ref="7").update(affects_when="zero_stage == 3")
        (tmp_path / "ds.json").write_text('{"zero_optimization": {"stage": 2}, "train_batch_size": 8}')
        text = told("deepspeed", "0.14.2", "0.15.4", "--setup", str(tmp_path))
        assert "0 faults fixed, 1 first seen" in text
        assert "1 excluded: the set-up does not meet their conditions." in text
        with pytest.raises(CommandError, match="does not exist"):
            told("deepspeed", "0.14.2", "0.15.4", "--setup", str(tmp_path / "nothing"))

    def test_its_json_is_the_apis_with_all_fixes(self, read: Reader) -> None:
        document = json.loads(told("deepspeed", "0.14.2", "0.15.4", "--format", "json"))
        assert document.keys() == read("upgrades/", **GIVEN).keys()
        assert len(document["fixes"]) == 101

    @pytest.mark.parametrize("given", [("nothing", "1", "2"), ("deepspeed", "latest", "2")])
    def test_what_it_cannot_compare_it_names(self, given: tuple[str, str, str]) -> None:
        with pytest.raises(CommandError, match=r"nothing|latest"):
            told(*given)
