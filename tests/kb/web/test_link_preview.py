"""What chats and search engines show of a link: one address, the page's own title and description, a picture."""

import re
from html import unescape
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client, RequestFactory
from pytest_django import Settings

from kb.web.link_preview import canonical_address
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db
PAGES = (
    "/", "/issues/", "/issues/?q=hang", "/learn/", "/codebook/", "/playbooks/", "/studies/", "/explore/", "/diagnose/",
    "/about/", "/about/quality/", "/status/", "/account/login/", "/explore/charts/symptom-cause/",
)  # fmt: skip


def tags(client: Client, url: str, status: int = 200) -> dict[str, list[str]]:
    """The contents of the head's tags by their names."""
    response = client.get(url)
    assert response.status_code == status, url
    head = response.content.decode().partition("</head>")[0]
    held: dict[str, list[str]] = {
        "title": [" ".join(unescape(text).split()) for text in re.findall(r"<title>(.*?)</title>", head, re.S)]
    }
    for name, value in re.findall(r'(?:name|property|rel)="([\w:]+)"\s+(?:content|href)="(.*?)"', head, re.S):
        held.setdefault(name, []).append(unescape(value))
    return held


@pytest.mark.usefixtures("codebook")
@pytest.mark.parametrize("url", PAGES)
def test_a_page_says_each_once_and_the_same_to_everybody(client: Client, url: str) -> None:
    held = tags(client, url)
    assert held["canonical"] == held["og:url"] == [f"http://testserver{url}"]
    assert held["og:title"] == held["title"]
    assert held["og:description"] == held["description"]
    assert all(len(held[name]) == 1 and held[name][0] for name in ("og:title", "og:description", "og:image"))


def test_an_issue_has_its_own_title_and_address(client: Client) -> None:
    issue = make_issue(title='Loss is NaN when "fp16" & <bf16> meet', summary="The loss becomes NaN.")
    held = tags(client, f"{issue.get_absolute_url()}?utm_source=chat")
    assert held["canonical"] == [f"http://testserver{issue.get_absolute_url()}"]
    assert 'Loss is NaN when "fp16" & <bf16> meet' in held["og:title"][0]


def test_a_page_that_is_not_there_has_one_too(client: Client) -> None:
    assert tags(client, "/no-such-page", status=404)["og:title"] == ["Not found · Faultbook"]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("/explore/?year=2024&framework=vllm", "/explore/?framework=vllm&year=2024"),
        ("/explore/?framework=vllm&framework=deepspeed", "/explore/?framework=deepspeed&framework=vllm"),
        ("/issues/?q=&page=1", "/issues/"),
        ("/issues/?page=2", "/issues/?page=2"),
        ("/about/?utm_source=a&utm_medium=b&fbclid=c&ref=d", "/about/"),
        ("/issues/?q=a+%26+b", "/issues/?q=a+%26+b"),
    ],
)
def test_an_address_says_only_what_matters(url: str, expected: str) -> None:
    assert canonical_address(RequestFactory().get(url)) == f"http://testserver{expected}"


def test_the_picture_has_a_full_address_and_the_size_that_chats_show(client: Client, settings: Settings) -> None:
    settings.SITE_URL = "https://faults.example.org"
    held = tags(client, "/about/")
    assert held["og:image"] == ["https://faults.example.org/static/img/card.png"]
    assert held["canonical"] == ["https://faults.example.org/about/"]
    head = Path(str(finders.find("img/card.png"))).read_bytes()[16:24]
    assert (int.from_bytes(head[:4], "big"), int.from_bytes(head[4:], "big")) == (1200, 630)
