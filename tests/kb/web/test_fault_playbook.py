"""The page of a common fault's playbook, and the places that lead to it."""

import pytest
from django.test import Client

from kb.core.fault_playbooks import fault_playbooks
from kb.core.knowledge.playbooks import playbooks_of_failure
from kb.diagnose.stored import StoredKnowledge
from tests.kb.diagnose.test_known import failed_with
from tests.kb.web.patterns import words
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_axis, make_issue, make_node, make_repository

pytestmark = pytest.mark.django_db
ADDRESS = "/playbooks/faults/nccl-watchdog-timeout"


def test_says_what_to_check_what_it_shows_and_what_to_do(client: Client) -> None:
    html = words(client, ADDRESS)
    assert "<h1" in html
    for text in ("Is there a rank that prints no watchdog line", "Continue with check 2", "<code>--ddp_timeout</code>"):
        assert text in html
    assert 'href="#missing-rank"' in html
    assert 'id="missing-rank"' in html


def test_a_record_leads_to_its_page_where_it_is_known_and_else_to_its_host(client: Client) -> None:
    known = make_issue(54059, repository=make_repository("pytorch/pytorch"), heading="One rank validates alone")
    html = words(client, ADDRESS)
    assert f'href="{known.get_absolute_url()}"' in html
    assert 'title="One rank validates alone"' in html
    assert 'href="https://github.com/NVIDIA/nccl/issues/2079"' in html


def test_tells_what_would_have_caught_the_causes_behind_it(client: Client) -> None:
    cause = make_node("collective-mismatch", axis=make_axis("root_cause"), name="Ranks disagree")
    html = words(client, ADDRESS)
    assert f'<a href="{cause.get_absolute_url()}#hints">Ranks disagree</a>: Give ranks unequal work' in html


def test_an_unknown_one_is_not_found(client: Client) -> None:
    assert client.get("/playbooks/faults/none").status_code == 404


@pytest.mark.parametrize("playbook", fault_playbooks(), ids=lambda playbook: playbook.slug)
def test_every_page_is_answered(client: Client, playbook: object) -> None:
    slug = playbook.slug  # type: ignore[attr-defined]
    assert client.get(f"/playbooks/faults/{slug}").status_code == 200


def test_the_list_names_those_that_mention_the_words(client: Client) -> None:
    assert "NCCL watchdog timeout" in words(client, "/playbooks/?q=超时")
    assert ADDRESS not in words(client, "/playbooks/?q=tokenizer")


def test_a_search_that_names_the_fault_shows_it_above_the_results(client: Client, search_index: PutIssuesIn) -> None:
    make_issue(1, title="A step hangs")
    search_index()
    assert "Check first:" in words(client, "/issues/?q=nccl+watchdog+timeout")
    assert "Check first:" not in words(client, "/issues/?q=step")


def test_a_diagnosis_names_it_for_the_line_that_failed_or_for_the_symptom_alone() -> None:
    line = "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=31, OpType=ALLREDUCE)"
    (fitting,) = playbooks_of_failure(failed_with(line), StoredKnowledge())
    assert fitting["url"] == ADDRESS
    assert playbooks_of_failure(failed_with("it broke"), StoredKnowledge()) == []
