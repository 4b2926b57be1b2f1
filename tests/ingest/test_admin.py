"""The admin's pages about imports open, search and filter; nothing on them can be edited."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from ingest.models import ImportedFile, ImportRun
from tests.ingest.small import GOOD, HEADER, ImportText

PAGES = ("importrun", "importrejection", "importedfile", "importedrow", "annotatorvote")


@pytest.fixture
def admin_client(import_text: ImportText) -> Client:
    import_text([HEADER, GOOD, "x"])
    client = Client()
    client.force_login(User.objects.create_superuser("admin"))
    return client


@pytest.mark.parametrize("page", PAGES)
def test_a_list_opens_and_is_not_for_editing(page: str, admin_client: Client) -> None:
    for query in ({}, {"q": "deepspeed"}):
        response = admin_client.get(reverse(f"admin:ingest_{page}_changelist"), query)
        assert response.status_code == 200
    assert admin_client.get(reverse(f"admin:ingest_{page}_add")).status_code == 403


def test_an_entry_is_looked_at_only(admin_client: Client) -> None:
    for model in (ImportRun, ImportedFile):
        name = model._meta.model_name
        page = admin_client.get(reverse(f"admin:ingest_{name}_change", args=(model.objects.get().pk,)))
        assert page.status_code == 200
        assert b'name="_save"' not in page.content


def test_an_old_run_may_be_deleted_with_its_rejections(admin_client: Client) -> None:
    run = ImportRun.objects.get()
    response = admin_client.post(reverse("admin:ingest_importrun_delete", args=(run.pk,)), {"post": "yes"})
    assert response.status_code == 302
    assert not ImportRun.objects.exists()
