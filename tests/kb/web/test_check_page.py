"""The page of checks: form, findings, refusals; it works without scripts and stores nothing."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from tests.kb.check.faults import FREEZE, ZERO_2, ZERO_3, make_fault, make_silent
from tests.kb.web.reading import Page, read, visit

pytestmark = pytest.mark.django_db
ADDRESS = "/check/"


def checked(client: Client, text: str, **files: str) -> Page:
    uploads = [SimpleUploadedFile(name.replace("_", "."), content.encode()) for name, content in files.items()]
    return read(client.post(ADDRESS, {"text": text, "file": uploads}))


class TestForm:
    def test_it_is_linked_from_home_diagnosis_and_every_footer(self, client: Client) -> None:
        for page in ("/", "/diagnose/", "/about/"):
            assert ADDRESS in visit(client, page).links

    def test_it_needs_no_token_and_sets_no_cookie(self) -> None:
        client = Client(enforce_csrf_checks=True)
        assert client.get(ADDRESS).cookies == {}
        answer = client.post(ADDRESS, {"text": FREEZE})
        assert (answer.status_code, answer.cookies) == (200, {})
        assert "no-store" in answer["Cache-Control"]
        assert answer["X-Robots-Tag"] == "noindex, nofollow"


class TestAnswer:
    def test_what_affects_is_told_with_what_to_change(self, client: Client) -> None:
        issue = make_fault()
        make_silent(issue)
        page = checked(client, FREEZE, ds_json=ZERO_3)
        for part in (
            "Affects you (1)", "Wrong result without an error", "deepspeed 0.14.2", "zero_stage is 3", "ds.json",
            "not a proof",
            "Upgrade deepspeed to 0.15.1 or later", 'pip install "deepspeed>=0.15.1"', "overlap_comm=False",
        ):  # fmt: skip
            assert part in page.words, part
        assert page.links[issue.get_absolute_url()] == issue.heading
        assert "https://github.com/deepspeedai/DeepSpeed/pull/8073" in page.links
        assert client.get("/upgrade/deepspeed/0.14.2...0.15.1").status_code == 200
        assert "/upgrade/deepspeed/0.14.2...0.15.1" in page.links

    def test_parts_of_one_paste_are_one_set_up(self, client: Client) -> None:
        make_fault()
        assert "Affects you (1)" in checked(client, f"$ pip freeze\n{FREEZE}\n\n```json\n{ZERO_3}```\n").words

    def test_what_may_says_what_to_add(self, client: Client) -> None:
        make_fault("zero_stage == 3 and lora")
        words = checked(client, FREEZE, ds_json=ZERO_3).words
        assert "May affect you (1)" in words
        assert "Add this for a certain answer the PEFT configuration" in words

    def test_what_only_the_version_points_at_and_what_is_fixed_are_folded(self, client: Client) -> None:
        make_fault("")
        make_fault("any", heading="Another").affected_ranges.update(introduced="0.10.0", fixed="0.12.0")
        html = client.post(ADDRESS, {"text": FREEZE}).content.decode()
        assert html.count('<details class="check-fold">') == 2
        assert "Less certain (1)" in html
        assert "Fixed (1)" in html

    def test_nothing_is_no_proof(self, client: Client) -> None:
        make_fault()
        words = checked(client, FREEZE, ds_json=ZERO_2).words
        assert "No known fault is in range. No finding is not a proof of safety" in words

    def test_what_was_not_recognised_is_told(self, client: Client) -> None:
        words = checked(client, "", notes_txt="My cat is asleep.\n").words
        assert "notes.txt : not recognised" in words or "notes.txt: not recognised" in words

    def test_names_and_texts_are_escaped(self, client: Client) -> None:
        xss = "<script>alert(1)</script>"
        upload = SimpleUploadedFile(f"{xss}.txt", FREEZE.encode())
        html = client.post(ADDRESS, {"text": xss, "file": upload}).content.decode()
        assert "<script>alert" not in html

    def test_it_takes_one_query_when_all_is_known(
        self, client: Client, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        make_fault()
        client.post(ADDRESS, {"text": FREEZE})
        with django_assert_num_queries(1):
            client.post(ADDRESS, {"text": FREEZE})


class TestRefusals:
    @pytest.mark.parametrize(
        ("sent", "status", "part"),
        [
            ({"text": " "}, 400, "There is nothing to check"),
            ({"text": "a" * 1_000_001}, 413, "More than 1 MB"),
            ({"text": "a" * 3_000_000}, 413, "More than 1 MB"),
            ({"text": "", "file": SimpleUploadedFile("a.txt", b"a" * 2_100_000)}, 413, "More than 1 MB"),
            ({"text": "", "file": SimpleUploadedFile("weights.bin", b"\0\1")}, 400, "“weights.bin” is not text"),
        ],
    )
    def test_it_says_what_to_give_instead(
        self, client: Client, sent: dict[str, object], status: int, part: str
    ) -> None:
        answer = client.post(ADDRESS, sent)
        assert answer.status_code == status
        assert part in read(answer).words

    def test_too_often(self, client: Client, settings: Settings) -> None:
        settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "DEFAULT_THROTTLE_RATES": {"diagnosis": "1/h"}}
        client.post(ADDRESS, {"text": FREEZE})
        answer = client.post(ADDRESS, {"text": FREEZE})
        assert (answer.status_code, "faster than is allowed" in read(answer).words) == (429, True)
