"""What the box offers while words are typed."""

import sys
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from kb.core.fault_playbooks import FaultPlaybook, fault_playbook
from kb.models import Playbook
from kb.search import names, offers
from kb.search.offers import MOST
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_axis, make_fix, make_issue, make_node

pytestmark = pytest.mark.django_db
FAULTS = (cast("FaultPlaybook", fault_playbook("nccl-watchdog-timeout")),)


@pytest.fixture
def known(search_index: PutIssuesIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["kb.search.offers"], "fault_playbooks", lambda: FAULTS)
    make_node("hang", name="Hang", aliases=["stuck", "卡住"])
    make_node("nccl-timeout", name="NCCL timeout", aliases=["watchdog timeout"])
    make_node("zero", axis=make_axis("component"), name="ZeRO sharding")
    make_node("load", axis=make_axis("stage"), name="Loading a checkpoint")
    make_node("fallback", axis=make_axis("fix_pattern"), name="Fall back")
    retry = make_node("retry", axis=make_axis("fix_pattern"), name="Retry when stuck")
    Playbook.objects.create(node=retry, applies_when="A call failed once.", steps=["Call it again."])
    make_issue(1, title="Training hangs in ZeRO sharding").fixes.add(make_fix(9))
    make_issue(2, title="Server hangs under load")
    search_index()
    names.forget()


def test_an_issue_that_says_what_to_do_says_so_where_it_is_offered(search_index: PutIssuesIn) -> None:
    make_issue(3, heading="The loom runs out of yarn", summary="It stops.", fix_line="Set `YARN=2`.")
    search_index()
    names.forget()
    (group,) = offers("the loom runs out of yarn")
    assert [(offer.name, offer.note) for offer in group.offers] == [
        ("The loom runs out of yarn", "DeepSpeed#3: Set YARN=2.")
    ]


def offered(text: str, **options: bool) -> dict[str, list[str]]:
    return {group.name: [offer.name for offer in group.offers] for group in offers(text, **options)}


@pytest.mark.usefixtures("known")
class TestOffers:
    def test_are_grouped_by_what_they_are(self) -> None:
        assert offered("hang") == {
            "Answers": ["Hang"],
            "Issues with a fix": ["Training hangs in ZeRO sharding"],
            "Other issues": ["Server hangs under load"],
            "Playbooks": ["NCCL watchdog timeout"],
        }
        assert offered("retry", with_issues=False) == {"Playbooks": ["Retry when stuck"]}
        assert offered("collective oper", with_issues=False) == {"Playbooks": ["NCCL watchdog timeout"]}
        assert offered("loading a c", with_issues=False) == {"Definitions": ["Loading a checkpoint"]}

    @pytest.mark.parametrize(
        ("text", "first"),
        [
            ("ha", "Hang"),
            ("stu", "Hang"),
            ("timeout nccl", "NCCL timeout"),
            ("watchdog", "NCCL timeout"),
            ("my run is stuck since monday", "Hang"),
            ("训练卡住了", "Hang"),
            ("HANG framework:deepspeed", "Hang"),
        ],
    )
    def test_answers_are_found_by_the_words_that_people_use(self, text: str, first: str) -> None:
        assert offered(text, with_issues=False)["Answers"][0] == first

    @pytest.mark.parametrize("text", ["", "h", "xyzzy quux", "hang\nhang", "hang " * 60, "symptom:"])
    def test_nothing_is_offered_for_what_names_nothing(self, text: str) -> None:
        assert offered(text) == {}

    def test_a_named_issue_is_offered(self) -> None:
        assert offered("DeepSpeed#2") == {"Other issues": ["Server hangs under load"]}

    def test_each_leads_to_its_page(self) -> None:
        urls = [offer.url for group in offers("stuck") for offer in group.offers]
        assert urls[0] == "/codebook/house/symptom/hang"
        assert "/playbooks/retry" in urls

    def test_take_no_statement_once_the_codebook_is_read(
        self, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        offers("hang")
        with django_assert_num_queries(0):
            offers("hang in zero")

    def test_the_codebook_is_read_in_one_statement(self, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
        with django_assert_max_num_queries(2):
            offers("hang", with_issues=False)

    @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.text(max_size=60))
    def test_no_text_breaks_them(self, text: str) -> None:
        for group in offers(text, with_issues=False):
            assert 0 < len(group.offers) <= MOST[group.name]
