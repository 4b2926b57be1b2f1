"""Drawing a round's sample from what a search finds."""

import pytest

from kb.models import Kind
from labeling.models import Member, Round
from labeling.refusals import RefusedError
from labeling.services.rounds import prepare_round
from labeling.services.sampling import Sampling, draw_sample
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
