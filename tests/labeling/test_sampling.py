"""Drawing a round's sample from what a search finds."""

import pytest

from kb.models import Kind
from labeling.models import Member, Round
from labeling.refusals import RefusedError
from labeling.selectors.draws import Sampling, preview
from labeling.services.rounds import prepare_round
from labeling.services.sampling import RejectedLinesError, draw_sample, fill_from_list
from labeling.web.setup import round_texts
from tests.labeling.factories import make_project
from tests.support.factories import make_issue, make_repository

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("search_in_postgres")]


@pytest.fixture
def lead() -> Member:
    """A project beside 12 issues of vLLM and 4 of DeepSpeed, one of vLLM's being a pull request."""
    vllm = make_repository("vllm-project/vllm", "vllm")
    for number in range(1, 13):
        kind = Kind.PULL_REQUEST if number == 12 else Kind.ISSUE
        make_issue(number, repository=vllm, title=f"The server hangs {number}", kind=kind)
    for number in range(1, 5):
        make_issue(number, title=f"Training crashes {number}")
    return make_project()


def drawn(lead: Member, sampling: Sampling) -> list[str]:
    round_ = prepare_round(lead=lead, kind=Round.Kind.MAIN, name="Main")
    draw_sample(lead=lead, round_=round_, sampling=sampling)
    return list(round_.items.order_by("position").values_list("issue__url", flat=True))


def test_a_random_sample_comes_from_what_the_search_finds(lead: Member) -> None:
    sampling = Sampling("random", 5, query="framework=vllm", seed="one", fresh=False)
    urls = drawn(lead, sampling)
    assert len(urls) == 5
    assert all("vllm" in url for url in urls)
    assert urls == drawn(lead, sampling)


def test_what_was_drawn_from_is_written_down(lead: Member) -> None:
    round_ = prepare_round(lead=lead, kind=Round.Kind.MAIN, name="Main")
    assert draw_sample(lead=lead, round_=round_, sampling=Sampling("stratified", 5, seed="one")).population == 15
    round_.refresh_from_db()
    assert round_.sample["strata"] == {"deepspeed": [1, 4], "vllm": [4, 11]}
    assert (round_.sample["seed"], round_.sample["population"], round_.sample["drawn"]) == ("one", 15, 5)


def test_a_fresh_sample_has_none_of_the_earlier_rounds(lead: Member) -> None:
    pilot = drawn(lead, Sampling("random", 6, seed="one"))
    main = drawn(lead, Sampling("random", 100, seed="one"))
    assert len(main) == 9
    assert not set(pilot) & set(main)


def test_words_are_searched_for(lead: Member) -> None:
    assert all("vllm" not in url for url in drawn(lead, Sampling("random", 9, query="q=crashes", seed="s")))
    assert len(drawn(lead, Sampling("best", 3, query="q=hangs", fresh=False))) == 3


@pytest.mark.parametrize(
    ("sampling", "says"),
    [
        (Sampling("random", 5), "needs a seed"),
        (Sampling("random", 0, seed="s"), "at least one"),
        (Sampling("random", 10_001, seed="s"), "at most 10,000"),
        (Sampling("random", 5, query="framework=nonesuch", seed="s"), "could not be read"),
        (Sampling("best", 5, query="q=zeppelin"), "finds no issue"),
    ],
)
def test_what_cannot_be_drawn_is_said(lead: Member, sampling: Sampling, says: str) -> None:
    with pytest.raises(RefusedError, match=says):
        drawn(lead, sampling)


def test_the_preview_shows_issues_that_the_seed_draws(lead: Member) -> None:
    sampling = Sampling("random", 8, seed="one")
    shown = [issue.url for issue in preview(project=lead.project, sampling=sampling).first]
    assert shown == drawn(lead, sampling)[:5]
    other = preview(project=lead.project, sampling=Sampling("random", 8, seed="two", fresh=False))
    assert shown != [issue.url for issue in other.first]


def test_words_can_be_required_in_title_or_text(lead: Member) -> None:
    exact = make_issue("50", title="Loss is wrong", body="A straggler: rank 3 hangs.")
    make_issue("51", title="It hangs", heading="A straggler")
    make_issue("52", title="Stragglers hang", body="It hangs.")
    loose = drawn(lead, Sampling("random", 50, query="q=straggler+hangs", seed="s", fresh=False))
    strict = Sampling("random", 50, query="q=straggler+hangs", seed="s", fresh=False, in_text=True)
    assert len(loose) > 1
    assert drawn(lead, strict) == [exact.url]


def test_what_stands_in_a_regular_expression_is_only_text(lead: Member) -> None:
    issue = make_issue("50", title="It fails with ZeRO-3 (stage")
    assert drawn(lead, Sampling("best", 5, query="q=ZeRO-3", fresh=False, in_text=True)) == [issue.url]


def test_issues_without_a_thread_are_left_out_and_counted(lead: Member) -> None:
    make_issue("60", heading="A hang that we describe", summary="It hangs.")
    found = preview(project=lead.project, sampling=Sampling("random", 50, seed="s"))
    assert (found.matches, found.unmirrored, found.left) == (16, 1, 15)
    round_ = prepare_round(lead=lead, kind=Round.Kind.MAIN, name="Main")
    draw_sample(lead=lead, round_=round_, sampling=Sampling("random", 50, seed="s"))
    round_.refresh_from_db()
    assert (round_.sample["unmirrored"], round_.sample["population"]) == (1, 15)
    assert "nothing of their threads was mirrored: 1." in " ".join(round_texts.sample(round_))


def test_a_line_of_a_list_without_a_thread_is_rejected(lead: Member) -> None:
    round_ = prepare_round(lead=lead, kind=Round.Kind.MAIN, name="Main")
    text = "\n".join([make_issue("60", heading="We describe it").url, make_issue("61", title="It hangs").url])
    with pytest.raises(RejectedLinesError) as error:
        fill_from_list(lead=lead, round_=round_, text=text)
    assert "not mirrored" in error.value.listed.rejected[0].reason
    assert fill_from_list(lead=lead, round_=round_, text=text, leave_out=True).issues == 1


def test_issues_without_text_are_counted_and_can_be_left_out(lead: Member) -> None:
    issue = make_issue("60", title="It hangs", body="Rank 3 waits.")
    make_issue("61", title="It hangs", body=" \n")
    found = preview(project=lead.project, sampling=Sampling("random", 50, seed="s"))
    assert (found.without_text, found.left) == (16, 17)
    with_text = Sampling("random", 50, seed="s", with_text=True)
    assert drawn(lead, with_text) == [issue.url]
    round_ = Round.objects.latest("pk")
    assert (round_.sample["with_text"], round_.sample["without_text"], round_.sample["population"]) == (True, 16, 1)
