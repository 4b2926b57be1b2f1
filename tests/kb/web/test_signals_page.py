"""The page of signals: an overview, what words, a stack and a family find, and links that lead to one of them."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from kb.core.diagnosis.signals.catalogue import catalogue
from kb.core.diagnosis.signals.search import STACKS
from kb.web.diagnose.passages import ROLES
from kb.web.diagnose.signals import PER_PAGE, SCOPES, Part, parts
from tests.kb.web.patterns import words
from tests.kb.web.reading import visit
from tests.support.factories import make_axis, make_node

pytestmark = pytest.mark.django_db


def test_the_overview_leads_to_every_family(client: Client) -> None:
    page = visit(client, "/diagnose/signals/")
    for family in catalogue().families:
        assert f"?family={family.family}" in page.links, family.family
    assert page.inline == []


def test_every_signal_is_at_the_address_that_leads_to_it(client: Client) -> None:
    for family in catalogue().families:
        html = client.get(f"/diagnose/signals/?family={family.family}").content.decode()
        assert all(f'id="{signal.code}"' in html for signal in family.signals), family.family
        assert len(family.signals) <= PER_PAGE


def test_a_signal_stands_with_all_that_is_known_of_it(client: Client) -> None:
    cause = make_node("accelerator-fault", axis=make_axis("root_cause"))
    html = words(client, "/diagnose/signals/?family=gpu-xid")
    signal = catalogue().by_code["xid-off-the-bus"]
    for text in (signal.means, signal.source, cause.get_absolute_url(), "the line itself shows it"):
        assert text in html
    assert "<code>dmesg -T | grep -iE &quot;xid|aer|nvrm&quot;</code> on the node" in html
    assert "max_steps 79" in html


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("q=EI0006", "hccl-connect-timeout"),
        ("q=fallen+off+the+BUS", "xid-off-the-bus"),
        ("q=heartbeat&stack=accelerators", "jax-task-lost"),
        ("q=GGML_ASSERT&family=local-serving", "ggml-assertion"),
        ("stack=serving", "sglang-memory-unbalanced"),
    ],
)
def test_words_a_stack_and_a_family_find_it(client: Client, query: str, code: str) -> None:
    html = client.get(f"/diagnose/signals/?{query}").content.decode()
    pages = [html, client.get(f"/diagnose/signals/?{query}&page=2").content.decode()]
    assert any(f'id="{code}"' in page for page in pages)


def test_nothing_found_is_said_and_leads_back(client: Client) -> None:
    page = visit(client, "/diagnose/signals/?q=flux+capacitor")
    assert "No signal fits." in page.text
    assert "/diagnose/signals/" in page.links


@pytest.mark.parametrize("query", ["family=nope", "stack=nope"])
def test_what_there_is_not_is_refused_with_what_there_is(client: Client, query: str) -> None:
    assert client.get(f"/diagnose/signals/?{query}").status_code == 400


def test_a_page_asks_the_database_once(client: Client, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(1):
        client.get("/diagnose/signals/?stack=communication")
    with django_assert_num_queries(0):
        client.get("/diagnose/signals/")


def test_a_result_leads_from_its_line_to_the_signal_and_shows_commands(client: Client) -> None:
    log = "node02 kernel: NVRM: Xid (PCI:0000:44:00): 79, pid=67, name=python3, GPU has fallen off the bus."
    html = client.post("/diagnose/", {"text": log}).content.decode()
    assert "/diagnose/signals/?family=gpu-xid#xid-off-the-bus" in html
    assert '<code class="command" id="step-1-1">dmesg -T' in html
    assert 'data-copies="step-1-1"' in html


def test_commands_stand_apart_from_words() -> None:
    assert parts("See `dmesg -T` on node02.") == [
        Part("See ", False),
        Part("dmesg -T", True),
        Part(" on node02.", False),
    ]


def test_the_page_has_words_for_every_role_stack_and_scope() -> None:
    for signal in catalogue().signals:
        assert signal.role in ROLES
        assert signal.scope in SCOPES
    assert {family.stack for family in catalogue().families} <= set(STACKS)
