"""The admin shows nothing of labeling: staff may be annotators, and blindness has one gate only."""

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client
from django.urls import NoReverseMatch, reverse

from labeling.models import Item
from tests.kb.web.reading import read
from tests.labeling.factories import cast, issue_of, make_open_round

pytestmark = pytest.mark.django_db
admin.autodiscover()


def test_no_table_of_labeling_is_in_the_admin() -> None:
    tables = list(apps.get_app_config("labeling").get_models(include_auto_created=True))
    assert len(tables) > 25
    for table in tables:
        assert not admin.site.is_registered(table), table
        with pytest.raises(NoReverseMatch):
            reverse(f"admin:labeling_{table._meta.model_name}_changelist")


def test_what_would_be_deleted_with_something_tells_nothing_of_votes(client: Client) -> None:
    """Django lists what hangs on a row before it deletes it; votes must not hang there."""
    round_, (first, _) = make_open_round()
    vote = cast(first, round_, note="A secret thought", symptom=("crash",))
    client.force_login(User.objects.create_superuser("ada"))
    issue = issue_of(Item.objects.get(round=round_))
    paths = [
        reverse("admin:auth_user_delete", args=[first.user_id]),
        reverse("admin:auth_user_change", args=[first.user_id]),
        reverse("admin:auth_user_history", args=[first.user_id]),
        reverse("admin:kb_issue_change", args=[issue.pk]),
        reverse("admin:kb_issue_history", args=[issue.pk]),
        reverse("admin:kb_issue_delete", args=[issue.pk]),
        reverse("admin:index"),
    ]
    opened = 0
    for path in paths:
        response = client.get(path)
        if response.status_code != 200:
            continue
        opened += 1
        words = read(response).words
        for secret in (vote.receipt, "A secret thought", "Vote", "Slot", "Draft"):
            assert secret not in words, path
    assert opened >= 5
