"""What the section Learn shows, through the API: published tables, playbooks, priorities."""

import pytest
from django.test import Client

from kb.core.fault_playbooks import fault_playbooks
from kb.models import Playbook, PublishedTable

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("codebook")]


class TestTables:
    def test_a_study_lists_its_tables_with_every_cell(self, client: Client) -> None:
        study = client.get("/api/v1/studies/inference-engines/").json()
        tables = client.get(study["tables_url"]).json()["results"]
        assert len(tables) == PublishedTable.objects.filter(study__slug="inference-engines").count()
        row = PublishedTable.objects.get(study__slug="inference-engines", slug="symptoms")
        symptoms = next(table for table in tables if table["table"] == "symptoms")
        assert symptoms["total"] == row.total
        assert {cell["row"] for cell in symptoms["cells"]} == {*row.row_keys, ""}

    def test_one_table_says_what_its_page_says(self, client: Client) -> None:
        path = "studies/inference-engines/tables/symptoms"
        told, shown = client.get(f"/api/v1/{path}/").json(), client.get(f"/{path}.json").json()
        assert [cell["published"] for cell in told["cells"]] == [cell["published"] for cell in shown["cells"]]
        assert told["page"] == shown["url"]

    @pytest.mark.parametrize("path", ["nothing/tables/", "inference-engines/tables/nothing/"])
    def test_what_there_is_not_is_not_found(self, client: Client, path: str) -> None:
        assert client.get(f"/api/v1/studies/{path}").status_code == 404


class TestPlaybooks:
    def test_every_pattern_with_a_playbook_is_listed(self, client: Client) -> None:
        answer = client.get("/api/v1/playbooks/?page_size=100").json()
        assert answer["count"] == Playbook.objects.filter(node__status="active").count() > 10

    def test_one_has_steps_and_an_example(self, client: Client) -> None:
        row = client.get("/api/v1/playbooks/revert/").json()
        playbook = Playbook.objects.get(node__code="revert")
        assert (row["steps"], row["example"]["before"]) == (playbook.steps, playbook.before)
        assert (row["issues"], row["fixes"]) == (0, 0)

    def test_playbooks_of_faults_are_whole_trees(self, client: Client) -> None:
        assert client.get("/api/v1/fault-playbooks/").json()["count"] == len(fault_playbooks())
        row = client.get("/api/v1/fault-playbooks/nccl-watchdog-timeout/").json()
        ids = {step["id"] for step in row["steps"]}
        followed = {outcome["next"] for step in row["steps"] for outcome in step["outcomes"]} - {None}
        assert followed <= ids

    @pytest.mark.parametrize("path", ["playbooks/nothing/", "fault-playbooks/nothing/"])
    def test_what_there_is_not_is_not_found(self, client: Client, path: str) -> None:
        assert client.get(f"/api/v1/{path}").status_code == 404


class TestPriorities:
    def test_are_those_of_the_page(self, client: Client) -> None:
        told = client.get("/api/v1/priorities/?role=user").json()
        assert told == client.get("/explore/priorities/results.json?role=user").json()

    def test_an_unknown_audience_is_refused(self, client: Client) -> None:
        assert client.get("/api/v1/priorities/?role=cook").status_code == 400
