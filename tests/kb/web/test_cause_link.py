"""A cause link's page: its numbers, what others say of the pair, and the note that staff write."""

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from kb.models import CauseLink, Crosswalk, Kind, Label, Node
from kb.services.cause_links import follow_labels, note_cause_link
from tests.support.factories import make_axis, make_issue, make_label, make_node, make_source, make_study

pytestmark = pytest.mark.django_db
MOST_QUERIES = 9
PAGE = "/explore/links/curated/hang/mismatch"


@pytest.fixture
def symptom() -> Node:
    return make_node("hang", name="Hangs for ever")


@pytest.fixture
def cause() -> Node:
    return make_node("mismatch", axis=make_axis("root_cause"), name="Ranks disagree")


@pytest.fixture
def link(symptom: Node, cause: Node) -> CauseLink:
    """12 issues with both, 4 with the symptom and another cause, 8 with neither; all of the curated source."""
    other_symptom, other_cause = make_node("crash"), make_node("typo", axis=cause.axis)
    for times, ends in ((12, (symptom, cause)), (4, (symptom, other_cause)), (8, (other_symptom, other_cause))):
        for _ in range(times):
            issue = make_issue(heading="It waits in all_gather")
            for node in ends:
                make_label(issue, node)
    follow_labels()
    return CauseLink.objects.get(symptom=symptom, cause=cause)


@pytest.fixture
def curator(client: Client) -> Client:
    user = User.objects.create_user("ada", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="change_causelink"))
    client.force_login(user)
    return client


def words(client: Client, path: str = PAGE, status: int = 200) -> str:
    response = client.get(path)
    assert response.status_code == status
    return " ".join(response.content.decode().split())


class TestNumbers:
    @pytest.mark.usefixtures("link")
    def test_each_has_its_n_and_its_interval(self, client: Client) -> None:
        html = words(client)
        for text in ("12 of 16", "75 %", "51–90 %", "12 of 24", "1.5×", "1.1–2.1×", "n = 24"):
            assert text in html, text
        assert "says little" not in html

    def test_the_trust_of_the_source_is_told(self, client: Client, link: CauseLink) -> None:
        type(link.source).objects.update(trust_note="Read by one person.")
        html = words(client)
        assert "confidence high" in html
        assert "Read by one person." in html

    @pytest.mark.usefixtures("link")
    def test_the_issues_behind_it_are_the_latest_20_and_all_are_one_click_away(
        self, client: Client, symptom: Node, cause: Node
    ) -> None:
        for _ in range(10):
            issue = make_issue()
            for node in (symptom, cause):
                make_label(issue, node)
        follow_labels()
        context = client.get(PAGE).context
        assert len(context["issues"]) == 20
        assert client.get(context["numbers"].issues_url).context["result"].total == 22
        assert "All 22 issues" in words(client)

    @pytest.mark.usefixtures("link")
    def test_pull_requests_are_none_of_them(self, client: Client, symptom: Node, cause: Node) -> None:
        issue = make_issue(kind=Kind.PULL_REQUEST)
        for node in (symptom, cause):
            make_label(issue, node)
        follow_labels()
        assert issue not in client.get(PAGE).context["issues"]

    @pytest.mark.usefixtures("link")
    def test_it_takes_few_statements(
        self, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        with django_assert_max_num_queries(MOST_QUERIES):
            client.get(PAGE)

    @pytest.mark.usefixtures("link")
    @pytest.mark.parametrize("path", ["curated/hang/nope", "curated/crash/mismatch", "nobody/hang/mismatch"])
    def test_a_pair_that_no_issue_has_is_not_found(self, client: Client, path: str) -> None:
        assert client.get(f"/explore/links/{path}").status_code == 404

    def test_the_category_and_the_admin_lead_to_it(self, admin_client: Client, link: CauseLink) -> None:
        assert PAGE in words(admin_client, link.symptom.get_absolute_url())
        shortcut = admin_client.get(f"/admin/kb/causelink/{link.pk}/change/").context["absolute_url"]
        assert admin_client.get(shortcut)["Location"].endswith(PAGE)


class TestOthers:
    @pytest.mark.usefixtures("link")
    def test_another_sources_numbers_stand_beside_and_are_not_added_up(
        self, client: Client, symptom: Node, cause: Node
    ) -> None:
        second = make_source("round", name="The second source", kind="consensus")
        issue = make_issue()
        for node in (symptom, cause):
            make_label(issue, node, second)
        follow_labels()
        html = words(client)
        assert "The second source" in html
        assert "small sample (n = 1)" in html
        assert "12 of 16" in html
        assert "curated/hang/mismatch" in words(client, "/explore/links/round/hang/mismatch")

    @pytest.mark.usefixtures("link")
    def test_so_do_a_studys_categories_that_mean_exactly_the_same_and_no_broader_ones(
        self, client: Client, symptom: Node, cause: Node
    ) -> None:
        study = make_study("p9")
        theirs, broader = (make_node(code, axis=make_axis(scheme="p9", study=study)) for code in ("s1", "s2"))
        why = make_node("c1", axis=make_axis("root_cause", scheme="p9", study=study))
        source = make_source("p9", name="Their labels", kind="study", study=study)
        issue = make_issue()
        for node in (theirs, broader, why):
            make_label(issue, node, source)
        Crosswalk.objects.create(from_node=theirs, to_node=symptom, relation="exact")
        Crosswalk.objects.create(from_node=broader, to_node=symptom, relation="narrow")
        Crosswalk.objects.create(from_node=why, to_node=cause, relation="exact")
        follow_labels()
        others = client.get(PAGE).context["others"]
        assert [(row.link.source, row.link.symptom, row.link.cause) for row in others] == [(source, theirs, why)]


class TestNote:
    def save(self, client: Client, note: str, seen: int | None = None) -> int:
        if seen is None:
            seen = client.get(PAGE).context["form"].initial["seen"]
        response = client.post(PAGE, {"note": note, "seen": seen})
        assert response.status_code == 302 or response.context["refusal"]
        return response.status_code

    def test_a_curator_writes_it_and_the_history_says_who(self, curator: Client, link: CauseLink) -> None:
        assert self.save(curator, "Look at\r\nthe streams. ") == 302
        link.refresh_from_db()
        assert link.note == "Look at\nthe streams."
        html = words(curator)
        assert "The note is saved." in html
        assert "note written by ada" in html
        assert self.save(curator, "") == 302
        assert "note taken away by ada" in words(curator)

    @pytest.mark.usefixtures("link")
    def test_the_public_reads_the_note_and_no_names_and_gets_no_form(self, curator: Client) -> None:
        self.save(curator, "Look at <b>the streams</b>.")
        html = words(Client())
        assert "Look at &lt;b&gt;the streams&lt;/b&gt;." in html
        assert "note written by staff" in html
        assert "ada" not in html.replace("all_gather", "")
        assert "<form" not in html.partition("<main")[2]

    def test_who_may_not_is_refused(self, client: Client, link: CauseLink) -> None:
        post = {"note": "Mine.", "seen": 1}
        assert client.post(PAGE, post).status_code == 403
        client.force_login(User.objects.create_user("bob", is_staff=True))
        assert client.post(PAGE, post).status_code == 403
        assert Client(enforce_csrf_checks=True).post(PAGE, post).status_code == 403
        assert CauseLink.objects.get(pk=link.pk).note == ""

    def test_a_form_without_its_token_is_refused(self, curator: Client, link: CauseLink) -> None:
        strict = Client(enforce_csrf_checks=True)
        strict.cookies = curator.cookies
        assert strict.post(PAGE, {"note": "Mine.", "seen": 1}).status_code == 403
        assert CauseLink.objects.get(pk=link.pk).note == ""

    def test_what_somebody_wrote_meanwhile_stays_and_ones_own_words_stay_in_the_form(
        self, curator: Client, link: CauseLink
    ) -> None:
        seen = curator.get(PAGE).context["form"].initial["seen"]
        note_cause_link(link=link, note="Theirs.")
        response = curator.post(PAGE, {"note": "Mine.", "seen": seen})
        html = response.content.decode()
        assert response.status_code == 409
        assert "Somebody else changed the note meanwhile" in html
        assert "Theirs." in html
        assert response.context["form"].initial["note"] == "Mine."
        assert self.save(curator, "Both.", response.context["form"].initial["seen"]) == 302
        assert CauseLink.objects.get(pk=link.pk).note == "Both."

    @pytest.mark.parametrize("wrong", [{"note": "x" * 2_001, "seen": 1}, {"note": "x"}, {"note": "a\x00b", "seen": 1}])
    def test_what_cannot_be_stored_is_said_to_be_so(
        self, curator: Client, link: CauseLink, wrong: dict[str, object]
    ) -> None:
        response = curator.post(PAGE, wrong)
        assert "Not saved" in response.context["refusal"]
        assert CauseLink.objects.get(pk=link.pk).note == ""

    def test_a_link_that_went_keeps_its_page_and_its_note(self, curator: Client, link: CauseLink) -> None:
        self.save(curator, "Look at the streams.")
        Label.objects.filter(node=link.cause).delete()
        follow_labels()
        html = words(curator)
        assert "No issue speaks for this any more" in html
        assert "Look at the streams." in html
        assert "id_note" not in html
        refused = curator.post(PAGE, {"note": "Mine.", "seen": 1})
        assert refused.status_code == 409
        assert "Mine." in refused.content.decode()
        assert not CauseLink.objects.filter(pk=link.pk).exists()
