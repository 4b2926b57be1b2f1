"""Who gave the curated labels: every page, document and answer of the API says it in the same words."""

import re

import pytest
from django.conf import settings
from django.test import Client

from kb.models import Source
from kb.services.labels import ensure_curated_source
from kb.web.pages import DOCUMENTS as DOCUMENTS_SHOWN
from tests.e2e.addresses import ISSUE, PAGES
from tests.kb.web.reading import visit
from tests.support.factories import make_source

AGREEMENT = "/about/agreement/"
# What would make readers think that people read the threads and labelled the records.
BANNED = re.compile(
    r"\b(?:our|faultbook's|faultbook) curators?\b"
    r"|\bread (?:and \w+ )?by (?:a |one |our |the )?(?:people|person|human|curator)s?\b"
    r"|\b(?:people|persons?|humans?|somebody|someone|curators?|experts?) (?:has |have )?"
    r"(?:reads?|labels?|labell?ed|checks?|checked) (?:each|every|the whole|whole) (?:thread|record)\b"
    r"|\b(?:hand|manual)(?:ly)?[- ](?:labell?ed|curated|annotated)\b",
    re.IGNORECASE,
)
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "docs/*.md", "docs/decisions/*.md", "tests/contracts/openapi.yaml")


@pytest.mark.parametrize(
    "claim",
    [
        "source: our curators, who say", "read and labelled by Faultbook's curators", "Faultbook curators",
        "one person reads each thread", "people read each thread", "read by people", "hand-labelled",
    ],
)  # fmt: skip
def test_a_banned_claim_is_known_as_one(claim: str) -> None:
    assert BANNED.search(claim)


@pytest.mark.usefixtures("starter")
class TestPages:
    def test_no_page_says_that_people_gave_the_labels_or_speaks_of_curators(self, client: Client) -> None:
        for name, path in PAGES.items():
            words = " ".join(client.get(path).content.decode().split())
            assert not re.search(r"\bcurators?\b", words, re.IGNORECASE), name
            assert not BANNED.search(words), name

    @pytest.mark.parametrize("path", ["/", "/about/", "/explore/", "/explore/audit/", ISSUE, PAGES["cause-link"]])
    def test_a_page_that_says_who_labels_says_the_one_sentence_and_leads_to_the_agreement(
        self, client: Client, path: str
    ) -> None:
        page = visit(client, path)
        assert Source.Kind.CURATED.made in page.words
        assert AGREEMENT in page.links

    def test_the_agreement_of_both_passes_is_a_page(self, client: Client) -> None:
        words = visit(client, AGREEMENT).words
        assert "How far two passes over the curated records agree" in words
        assert "root_cause" in words
        assert "<!--" not in words

    def test_the_image_holds_every_page_of_the_docs_that_the_site_shows(self) -> None:
        copied = (settings.BASE_DIR / "Dockerfile").read_text(encoding="utf-8").split()
        sent = (settings.BASE_DIR / ".dockerignore").read_text(encoding="utf-8").splitlines()
        for name in DOCUMENTS_SHOWN:
            assert f"docs/{name}.md" in copied
            assert f"!docs/{name}.md" in sent

    def test_the_source_says_the_same_in_the_api(self, client: Client) -> None:
        source = client.get("/api/v1/sources/curated/").json()
        assert source["trust_note"] == Source.Kind.CURATED.made


def test_no_document_says_that_people_gave_the_labels() -> None:
    # The style sheet names phrases to avoid.
    files = [file for pattern in DOCUMENTS for file in settings.BASE_DIR.glob(pattern) if file.name != "wording.md"]
    assert len(files) > len(DOCUMENTS)
    for file in files:
        assert not BANNED.search(" ".join(file.read_text(encoding="utf-8").split())), file


@pytest.mark.django_db
def test_what_an_older_site_says_of_the_source_is_brought_in_line() -> None:
    make_source(name="Faultbook curators", confidence=Source.Confidence.HIGH)
    ensure_curated_source()
    source = Source.objects.get()
    assert source.name == "Faultbook automated readers"
    assert source.trust_note == Source.Kind.CURATED.made
    assert source.confidence == Source.Confidence.HIGH
