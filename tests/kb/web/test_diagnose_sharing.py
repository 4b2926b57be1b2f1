"""The pages of sharing, of feedback and of its review."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.cache import cache
from django.test import Client

from kb.core.redaction import Kind
from kb.diagnose import sharing
from kb.diagnose import signed_data as sealing
from kb.diagnose.feedback import things
from kb.diagnose.signed_data import sealed
from kb.models import DiagnosisFeedback, KnownSignature, SharedDiagnosis
from kb.selectors.known_signatures import confirmed
from kb.web.diagnose.sharing_forms import KINDS
from tests.kb.diagnose.results import PRIVATE, SIGNATURE, TOKEN, result
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db
ISSUE = "https://github.com/deepspeedai/DeepSpeed/issues/1"
ALL = [value for value, _ in KINDS]


@pytest.fixture(autouse=True)
def _counted_anew() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def seen_in(response: Any) -> str:
    found = re.search(r'name="seen"\s+value="([0-9a-f]{64})"', response.content.decode())
    assert found
    return found[1]


def text_of(response: Any) -> str:
    return unescape(re.sub(r"<[^>]+>", "", response.content.decode()))


def chosen(**more: Any) -> dict[str, Any]:
    return {"sealed": sealed(result()), "title": "", "days": "7", "hide": ALL} | more


def share(client: Client, **more: Any) -> Any:
    """Look at the preview and share exactly that."""
    sent = chosen(**more)
    seen = seen_in(client.post("/diagnose/share/", sent | {"do": "preview"}))
    return client.post("/diagnose/share/", sent | {"do": "share", "seen": seen})


class TestThePreview:
    def test_it_stores_nothing_and_shows_nothing_private(self, client: Client) -> None:
        response = client.post("/diagnose/share/", {"sealed": sealed(result())})
        text = text_of(response)
        assert response.status_code == 200
        assert not SharedDiagnosis.objects.exists()
        assert [secret for secret in PRIVATE if secret in text] == []
        assert "<mark>ip-1</mark>" in response.content.decode()

    def test_it_shows_exactly_what_is_stored_then(self, client: Client) -> None:
        sent = chosen(title="OOM on 10.1.2.3")
        shown = text_of(client.post("/diagnose/share/", sent | {"do": "preview"}))
        share(client, title="OOM on 10.1.2.3")
        row = SharedDiagnosis.objects.get()
        assert row.title == "OOM on ip-1"
        assert row.data_text in shown

    def test_kinds_are_counted_in_words(self, client: Client) -> None:
        text = text_of(client.post("/diagnose/share/", {"sealed": sealed(result())}))
        assert re.search(r"Tokens, keys and passwords\s+\d+ place", text)
        assert re.search(r"IP addresses\s+\d+ place", text)

    def test_what_is_kept_is_shown_but_never_a_token(self, client: Client) -> None:
        share(client, hide=[kind for kind in ALL if kind != Kind.IP.value])
        text = SharedDiagnosis.objects.get().data_text
        assert "10.1.2.3" in text
        assert TOKEN not in text
        SharedDiagnosis.objects.all().delete()
        share(client, hide=[])
        assert TOKEN not in SharedDiagnosis.objects.get().data_text

    def test_other_choices_than_those_that_were_seen_are_shown_first(self, client: Client) -> None:
        seen = seen_in(client.post("/diagnose/share/", chosen(do="preview")))
        response = client.post("/diagnose/share/", chosen(do="share", seen=seen, hide=[]))
        assert "changed with your choice" in text_of(response)
        assert not SharedDiagnosis.objects.exists()

    @pytest.mark.parametrize("text", ["", "nonsense", "a:b:c"])
    def test_what_was_tampered_with_is_refused_in_words(self, client: Client, text: str) -> None:
        for tried in (text, text and sealed(result()) + text):
            response = client.post("/diagnose/share/", {"sealed": tried})
            assert response.status_code == 400
            assert "not a result that was made here" in text_of(response)

    def test_what_is_too_old_is_refused_in_words(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        text = sealed(result())
        monkeypatch.setattr(sealing, "MOST_SECONDS", -1)
        response = client.post("/diagnose/share/", {"sealed": text})
        assert response.status_code == 400
        assert "more than a day old" in text_of(response)

    def test_a_wrong_choice_is_told_and_stores_nothing(self, client: Client) -> None:
        response = client.post("/diagnose/share/", chosen(do="share", days="3650"))
        assert response.status_code == 200
        assert "not one of the available choices" in text_of(response)
        assert not SharedDiagnosis.objects.exists()

    def test_a_network_may_share_so_often_a_day(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sharing, "MOST_A_DAY", 1)
        assert share(client).status_code == 200
        assert share(client).status_code == 429
        assert SharedDiagnosis.objects.count() == 1

    def test_forged_requests_are_refused(self) -> None:
        client = Client(enforce_csrf_checks=True)
        for address in ("/diagnose/share/", "/diagnose/feedback/"):
            assert client.post(address, {"sealed": sealed(result())}).status_code == 403

    @pytest.mark.parametrize("address", ["/diagnose/share/", "/diagnose/feedback/"])
    def test_it_is_asked_for_by_post_alone(self, client: Client, address: str) -> None:
        assert client.get(address).status_code == 405


class TestTheSharedPage:
    def test_whoever_has_the_link_reads_it_and_no_search_engine_does(self, client: Client) -> None:
        share(client, title="Out of memory")
        row = SharedDiagnosis.objects.get()
        response = Client().get(row.get_absolute_url())
        text = text_of(response)
        assert response.status_code == 200
        assert "Out of memory" in text
        assert "torch.OutOfMemoryError" in text
        assert [secret for secret in PRIVATE if secret in text] == []
        assert response["X-Robots-Tag"] == "noindex, nofollow"
        assert response["Referrer-Policy"] == "same-origin"
        assert "no-store" in response["Cache-Control"]
        assert '<meta name="robots" content="noindex, nofollow">' in response.content.decode()

    def test_both_links_are_shown_once_and_the_second_deletes_it(self, client: Client) -> None:
        text = share(client).content.decode()
        link, delete_link = re.findall(r'href="(http://testserver/diagnose/shared/[^"]+)"', text)
        reader = Client()
        assert reader.get(link).status_code == 200
        assert "Delete" in text_of(reader.get(delete_link))
        assert SharedDiagnosis.objects.exists(), "looking at the question deletes nothing"
        assert "It is deleted" in text_of(reader.post(delete_link))
        gone = reader.get(link)
        assert gone.status_code == 410
        assert "no longer here" in text_of(gone)
        assert reader.get(delete_link).status_code == 410

    @pytest.mark.parametrize("token", ["x", "0" * 32, "%00", "é"])
    def test_a_link_that_never_was_looks_the_same(self, client: Client, token: str) -> None:
        assert client.get(f"/diagnose/shared/{token}/").status_code in (404, 410)

    def test_nobody_else_deletes_it(self, client: Client) -> None:
        ada, bob = User.objects.create_user("ada"), User.objects.create_user("bob")
        client.force_login(ada)
        share(client)
        address = SharedDiagnosis.objects.get().get_absolute_url()
        other = Client()
        other.force_login(bob)
        for one in (other, Client()):
            assert one.post(f"{address}delete/").status_code == 403
            assert one.post(f"{address}delete/{'x' * 32}/").status_code == 403
        assert SharedDiagnosis.objects.exists()

    def test_who_is_logged_in_sees_and_deletes_theirs_in_a_list(self, client: Client) -> None:
        share(Client(), title="Somebody's")
        client.force_login(User.objects.create_user("ada"))
        assert "You share nothing now" in text_of(client.get("/diagnose/shared/"))
        share(client, title="Mine")
        text = text_of(client.get("/diagnose/shared/"))
        assert "Mine" in text
        assert "Somebody's" not in text
        mine = SharedDiagnosis.objects.get(title="Mine")
        response = client.post(f"{mine.get_absolute_url()}delete/", follow=True)
        assert "It is deleted" in text_of(response)
        assert list(SharedDiagnosis.objects.values_list("title", flat=True)) == ["Somebody's"]

    def test_the_list_is_for_who_is_logged_in(self, client: Client) -> None:
        assert client.get("/diagnose/shared/")["Location"].startswith("/account/login/")


class TestFeedback:
    def say(self, client: Client, **more: Any) -> Any:
        data = result()
        sent = {"sealed": sealed(data), "thing": things(data)[0].key, "verdict": "right"}
        return client.post("/diagnose/feedback/", sent | more)

    def test_what_would_be_stored_is_shown_in_words_first(self, client: Client) -> None:
        response = self.say(client, note="gpu-a17 did it", really_at="logs/gpu-a17.log:4", issue_url=ISSUE)
        text = text_of(response)
        main = text[text.index("What would be stored") :]
        assert response.status_code == 200
        assert not DiagnosisFeedback.objects.exists()
        assert "host-1 did it" in main
        assert "logs/host-1.log:4" in main
        assert ISSUE in main

    def test_sent_from_there_it_waits_for_review(self, client: Client) -> None:
        response = self.say(client, do="send", issue_url=f"{ISSUE}/#issuecomment-7")
        row = DiagnosisFeedback.objects.get()
        assert "Thank you" in text_of(response)
        assert (row.state, row.issue_url, row.is_right) == ("new", ISSUE, True)

    @pytest.mark.parametrize(
        ("wrong", "said"),
        [
            ({"verdict": ""}, "Say whether this was it."),
            ({"thing": "line|elsewhere.log:1"}, "not one of the available choices"),
            ({"really_at": "somewhere"}, "as in rank3.log:1204"),
            ({"issue_url": "https://example.org/1"}, "Not "),
        ],
    )
    def test_what_cannot_be_is_told_beside_its_field(self, client: Client, wrong: dict[str, str], said: str) -> None:
        response = self.say(client, do="send", **wrong)
        assert said in text_of(response)
        assert not DiagnosisFeedback.objects.exists()

    def test_what_was_tampered_with_is_refused(self, client: Client) -> None:
        assert self.say(client, do="send", sealed="x").status_code == 400

    def test_a_network_may_say_so_much_a_day(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("kb.diagnose.feedback.MOST_A_DAY", 1)
        assert self.say(client, do="send").status_code == 200
        assert self.say(client, do="send").status_code == 429


class TestReview:
    @pytest.fixture
    def waiting(self, client: Client) -> DiagnosisFeedback:
        TestFeedback().say(client, do="send", issue_url=ISSUE)
        return DiagnosisFeedback.objects.get()

    @pytest.fixture
    def staff(self) -> Client:
        reviewer = User.objects.create_user("rae", is_staff=True)
        reviewer.user_permissions.add(Permission.objects.get(codename="review_diagnosisfeedback"))
        browser = Client()
        browser.force_login(reviewer)
        return browser

    def addresses(self, row: DiagnosisFeedback) -> list[str]:
        one = f"/diagnose/review/{row.pk}/"
        return ["/diagnose/review/", one, f"{one}record.yaml", f"{one}signal.yaml"]

    def test_it_is_for_staff_who_may_review_and_nobody_else(self, staff: Client, waiting: DiagnosisFeedback) -> None:
        nobody, reader, clerk = Client(), Client(), Client()
        reader.force_login(User.objects.create_user("ada"))
        clerk.force_login(User.objects.create_user("bob", is_staff=True))
        for address in self.addresses(waiting):
            assert [one.get(address).status_code for one in (nobody, reader, clerk, staff)] == [403, 403, 403, 200]
        for one in (nobody, reader, clerk):
            assert one.post(f"/diagnose/review/{waiting.pk}/", {"do": "accept"}).status_code == 403
        waiting.refresh_from_db()
        assert waiting.state == "new"

    def test_accepted_it_is_known_and_taken_back_it_is_not(self, staff: Client, waiting: DiagnosisFeedback) -> None:
        issue = make_issue(1)
        one = f"/diagnose/review/{waiting.pk}/"
        assert f'value="{ISSUE}"' in staff.get(one).content.decode()
        text = text_of(staff.post(one, {"do": "accept", "issue_url": ISSUE, "reason": "Same."}, follow=True))
        assert "Accepted by rae" in text
        (known,) = confirmed(key=str(SIGNATURE["key"]), version=1)
        assert known.issue == issue
        assert "Undone by rae" in text_of(staff.post(one, {"do": "undo"}, follow=True))
        assert not KnownSignature.objects.exists()

    def test_a_refusal_is_told_and_changes_nothing(self, staff: Client, waiting: DiagnosisFeedback) -> None:
        one = f"/diagnose/review/{waiting.pk}/"
        for sent, said in (
            ({"do": "decline"}, "Say why it is declined."),
            ({"do": "accept", "issue_url": ISSUE}, "does not hold this issue"),
            ({"do": "frob"}, "no such button"),
        ):
            response = staff.post(one, sent)
            assert (response.status_code, said in text_of(response)) == (409, True)
        waiting.refresh_from_db()
        assert (waiting.state, waiting.decisions.count()) == ("new", 0)

    def test_the_queue_goes_by_state(self, staff: Client, waiting: DiagnosisFeedback) -> None:
        link = f'href="/diagnose/review/{waiting.pk}/"'
        assert link in staff.get("/diagnose/review/").content.decode()
        staff.post(f"/diagnose/review/{waiting.pk}/", {"do": "decline", "reason": "No."})
        assert link not in staff.get("/diagnose/review/").content.decode()
        assert link in staff.get("/diagnose/review/?state=declined").content.decode()

    def test_drafts_are_files(self, staff: Client, waiting: DiagnosisFeedback) -> None:
        for name in ("record", "signal"):
            response = staff.get(f"/diagnose/review/{waiting.pk}/{name}.yaml")
            assert response["Content-Disposition"] == f'attachment; filename="{name}-{waiting.pk}.yaml"'
