"""Links between pages lead to a file and a heading; addresses of the site that pages name answer."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from tests.docs.markdown import GUIDES, Page, pages

SITE = re.compile(r"/[a-z][\w/.{}-]*(?:\?[\w=]*)?")
MACHINES = ("/etc/", "/opt/", "/usr/", "/var/")
# Paths of machines and of other servers, and ends of addresses.
NOT_OURS = {"/root", "/graphql", "/embed", "/pull/", "/home/user-1/path-1/train.py"}
PLACEHOLDERS = {
    "/explore/charts/NAME/": "/explore/charts/symptom-cause/",
    "/api/v1/charts/NAME/": "/api/v1/charts/symptom-cause/",
    "/explore/links/SOURCE/SYMPTOM/CAUSE": "/explore/links/curated/hang-collective/collective-mismatch",
    "/issues/feed.atom?q=...": "/issues/feed.atom?q=hang",
    "/upgrade/PACKAGE/FROM...TO": "/upgrade/deepspeed/0.14.2...0.15.4",
    "/releases/PACKAGE/": "/releases/deepspeed/",
    "/releases/PACKAGE/VERSION/": "/releases/deepspeed/0.15.1/",
    "/api/v1/upgrades/?package=...&from=...&to=...": "/api/v1/upgrades/?package=deepspeed&from=0.14.2&to=0.15.4",
    "/api/v1/issues/{id}/osv/": "/api/v1/issues/",
    "/api/v1/issues/{id}/": "/api/v1/issues/",
}
ONLY_POST = {"/api/v1/diagnose", "/ingest/github/webhook", "/mcp"}
# Answered below it only.
A_START = {"/api/v1/labeling/"}


@pytest.mark.parametrize("page", pages(), ids=str)
def test_every_link_leads_to_a_file_and_a_heading(page: Page) -> None:
    broken = []
    for link in page.links:
        if link.startswith(("https://", "http://")):
            continue
        name, _, anchor = link.partition("#")
        target = (page.path.parent / name).resolve() if name else page.path
        if not target.exists() or (anchor and anchor not in Page(target).anchors):
            broken.append(link)
    assert broken == []


def addresses(page: Page) -> list[str]:
    """The site's own addresses in a page's sentences."""
    return [
        PLACEHOLDERS.get(span, span)
        for span in dict.fromkeys(page.spans)
        if (span in PLACEHOLDERS or SITE.fullmatch(span))
        and span not in NOT_OURS | ONLY_POST | A_START
        and not span.startswith(MACHINES)
    ]


@pytest.mark.django_db
@pytest.mark.usefixtures("starter")
@pytest.mark.parametrize("page", GUIDES, ids=str)
def test_every_address_of_the_site_answers(page: Page, client: Client, settings: Settings) -> None:
    settings.METRICS_TOKEN = "shown"
    client.force_login(User.objects.create_superuser("root"))
    answers = {one: client.get(one, headers={"authorization": "Bearer shown"}).status_code for one in addresses(page)}
    assert {one: status for one, status in answers.items() if status != 200} == {}


def test_addresses_are_found() -> None:
    found = {one for page in GUIDES for one in addresses(page)}
    assert {"/diagnose/", "/api/docs/", "/issues/reported/", "/metrics", "/explore/charts/symptom-cause/"} <= found
