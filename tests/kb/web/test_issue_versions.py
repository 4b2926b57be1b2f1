"""An issue's page says in which versions the fault is, what that rests on, and under which condition."""

import pytest
from django.test import Client

from kb.models import AffectedRange
from tests.kb.check.faults import PULL, make_fault
from tests.kb.web.reading import visit
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db


def test_a_range_has_its_bounds_with_proof_and_the_condition_stands_in_words(client: Client) -> None:
    page = visit(client, make_fault("zero_stage == 3 and lora").get_absolute_url())
    for part in (
        "deepspeed introduced in 0.14.0 , from git",
        "fixed in 0.15.1",
        "Only with ZeRO stage 3 and LoRA or other adapters.",
    ):
        assert part in page.words
    assert page.links[PULL] == "from git"
    assert page.links["/check/"]
    assert page.links["/releases/deepspeed/"] == "deepspeed"


def test_record_and_history_are_one_row(client: Client) -> None:
    issue = make_fault("any")
    issue.affected_ranges.update(introduced="", introduced_by="")
    AffectedRange.objects.create(
        issue=issue, origin="history", package="deepspeed", introduced="0.12.0", introduced_by="lines", fixed="0.15.4"
    )
    words = visit(client, issue.get_absolute_url()).words
    assert words.count("no release with a fix") == 0
    assert "deepspeed lines stand since 0.12.0" in words
    assert "0.15.4" not in words
    assert "Every user of such a version meets it" in words


def test_without_a_fix_it_says_so_and_why_no_version_is_known(client: Client) -> None:
    issue = make_issue(heading="It hangs", summary="It hangs.", range_unknown="Only a nightly build is named.")
    assert "Only a nightly build is named." in visit(client, issue.get_absolute_url()).words
    AffectedRange.objects.create(issue=issue, origin="record", package="vllm", last_affected="0.6.3")
    words = visit(client, issue.get_absolute_url()).words
    assert "vllm unknown still in 0.6.3; no release with a fix is known" in words
