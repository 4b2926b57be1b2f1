"""Proposing a category that the survey lacks: sent, kept without its sender, limited, and read by staff."""

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from kb.models import ProposedCategory
from kb.services.proposed_categories import MOST_A_DAY, propose_category
from tests.kb.web.reading import visit

pytestmark = pytest.mark.django_db
ADDRESS = "/explore/priorities/survey/propose/"
GOOD = {"group": "C", "name": "Thread safety", "means": "Threads race on gradients and nobody notices."}


def test_the_survey_and_the_priorities_lead_there(client: Client) -> None:
    for page in ("/explore/priorities/survey/", "/explore/priorities/"):
        assert ADDRESS in visit(client, page).links


def test_what_is_sent_is_kept_and_thanked_for(client: Client) -> None:
    answer = client.post(ADDRESS, GOOD, follow=True)
    assert "Your proposal is kept" in answer.content.decode()
    (kept,) = ProposedCategory.objects.all()
    assert (kept.group, kept.name, kept.means, kept.is_seen) == (*GOOD.values(), False)


def test_the_same_is_kept_once(client: Client) -> None:
    client.post(ADDRESS, GOOD)
    client.post(ADDRESS, GOOD | {"name": "thread  safety"})
    assert ProposedCategory.objects.count() == 1


def test_a_secret_is_not_kept() -> None:
    kept = propose_category(group="B", name="Tokens", means="My hf_abcdefghijklmnopqrstuvwxyzABCDEFGH leaks")
    assert "hf_abcdefgh" not in kept.means


@pytest.mark.parametrize("wrong", [{"group": "D"}, {"name": "x"}, {"means": ""}, {"website": "http://x"}])
def test_what_says_nothing_is_not_kept_and_told_why(client: Client, wrong: dict[str, str]) -> None:
    html = client.post(ADDRESS, GOOD | wrong).content.decode()
    assert 'role="alert"' in html
    assert not ProposedCategory.objects.exists()


def test_a_network_sends_so_many_a_day(client: Client) -> None:
    for number in range(MOST_A_DAY):
        assert client.post(ADDRESS, GOOD | {"name": f"Category {number}"}).status_code == 302
    refused = client.post(ADDRESS, GOOD)
    assert refused.status_code == 429
    assert "Thread safety" in refused.content.decode()
    assert ProposedCategory.objects.count() == MOST_A_DAY


def test_staff_read_it_and_mark_it_as_seen(client: Client) -> None:
    kept = propose_category(**GOOD)
    client.force_login(User.objects.create_superuser("ada"))
    assert "Thread safety" in client.get(reverse("admin:kb_proposedcategory_changelist")).content.decode()
    address = reverse("admin:kb_proposedcategory_change", args=(kept.pk,))
    client.post(address, {"is_seen": "on", "name": "Other"})
    kept.refresh_from_db()
    assert (kept.is_seen, kept.name) == (True, "Thread safety")


def test_the_database_refuses_an_empty_one() -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        ProposedCategory.objects.create(group="C", name="", means="x")
