"""The pages of one mirror: its runs, what it keeps and why, what it leaves out; and old names that lead there."""

import pytest
from django.test import Client

from ingest.models import KeywordList, Mirror
from kb.models import RepositoryAlias
from tests.ingest.mirrors import make_left_out, make_mirror, make_mirrored, make_run, staff
from tests.kb.web.reading import visit

pytestmark = pytest.mark.django_db
MIRROR = "/status/github.com/octo/engine/"


@pytest.fixture
def general() -> Mirror:
    """A mirror that keeps only what holds a word."""
    words = KeywordList.objects.create(name="about-llms", words=["kv cache", "prefill"])
    return make_mirror(mirror={"keywords": words})


class TestOneMirror:
    def test_tells_its_runs_page_by_page(self, client: Client) -> None:
        mirror = make_mirror()
        for number in range(25):
            make_run(mirror, minutes_ago=number * 15 + 4, updated=number + 1)
        first, second = visit(client, MIRROR), visit(client, f"{MIRROR}?page=2")
        assert "1 changed" in first.words
        assert "25 changed" not in first.words
        assert "25 changed" in second.words

    def test_a_run_that_failed_says_why(self, client: Client) -> None:
        make_run(make_mirror(), status="failed", problem="It was down.", advice="Wait.")
        assert "Failed It was down. Wait." in visit(staff(), MIRROR).words
        words = visit(client, MIRROR).words
        assert "Failed It was down." in words
        assert "Wait." not in words

    def test_without_a_run_says_so(self, client: Client) -> None:
        make_mirror()
        assert "No run yet." in visit(client, MIRROR).words

    def test_one_that_is_not_mirrored_is_not_found(self, client: Client) -> None:
        visit(client, MIRROR, status=404)
        visit(client, "/status/example.org/octo/engine/", status=404)

    @pytest.mark.parametrize("part", ["", "kept/", "left-out/"])
    def test_an_old_name_leads_to_todays(self, client: Client, part: str) -> None:
        mirror = make_mirror()
        RepositoryAlias.objects.create(repository=mirror.repository, host="github.com", full_name="octo/motor")
        for old in ("octo/motor", "OCTO/Engine"):
            response = client.get(f"/status/github.com/{old}/{part}?page=2")
            assert response.status_code == 301
            assert response.headers["Location"] == f"{MIRROR}{part}?page=2"

    @pytest.mark.parametrize("page", ["", "kept/", "left-out/"])
    def test_shows_no_buttons_to_readers(self, client: Client, general: Mirror, page: str) -> None:
        make_left_out(general, 7)
        assert b"csrfmiddlewaretoken" not in client.get(MIRROR + page).content

    @pytest.mark.parametrize("page", ["?page=0", "?page=x", "?page=999999999999", "left-out/?q=%00", "kept/?q=%00a"])
    @pytest.mark.usefixtures("general")
    def test_strange_questions_are_answered(self, client: Client, page: str) -> None:
        visit(client, MIRROR + page)


class TestLeftOut:
    PAGE = f"{MIRROR}left-out/"

    def test_lists_what_was_left_out(self, client: Client, general: Mirror) -> None:
        make_left_out(general, 7, title="Wrong gradient of a convolution")
        page = visit(client, self.PAGE)
        assert "Wrong gradient of a convolution" in page.words
        assert "https://github.com/octo/engine/issues/7" in page.links
        assert "kv cache, prefill" in page.words

    def test_finds_by_title_and_by_number(self, client: Client, general: Mirror) -> None:
        make_left_out(general, 7, title="Wrong gradient")
        make_left_out(general, 8, title="Slow build")
        for words in ("GRADIENT", "7", "%237"):
            found = visit(client, f"{self.PAGE}?q={words}").words
            assert "Wrong gradient" in found
            assert "Slow build" not in found
        assert "No excluded issue has these words." in visit(client, f"{self.PAGE}?q=nowhere").words

    def test_a_mirror_that_keeps_everything_says_so(self, client: Client) -> None:
        make_mirror()
        assert "this mirror keeps every issue" in visit(client, self.PAGE).words


class TestKept:
    PAGE = f"{MIRROR}kept/"

    def test_says_because_of_which_words_an_issue_is_kept(self, client: Client, general: Mirror) -> None:
        make_mirrored(general, 1, title="Prefill is slow", body="The KV cache is cold.")
        words = visit(client, self.PAGE).words
        assert "prefill in the title; kv cache in the text" in words

    def test_says_when_no_word_of_todays_list_is_there(self, client: Client, general: Mirror) -> None:
        make_mirrored(general, 1, title="Something else")
        assert "no word of today's list" in visit(client, self.PAGE).words

    def test_a_mirror_without_words_keeps_everything(self, client: Client) -> None:
        make_mirrored(make_mirror(), 1, title="Anything at all")
        words = visit(client, self.PAGE).words
        assert "keeps every issue, whatever its words" in words
        assert "Anything at all" in words

    def test_finds_by_title(self, client: Client) -> None:
        mirror = make_mirror()
        make_mirrored(mirror, 1, title="Red")
        make_mirrored(mirror, 2, title="Blue")
        words = visit(client, f"{self.PAGE}?q=red").words
        assert "Red" in words
        assert "Blue" not in words
