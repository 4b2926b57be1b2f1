"""The agreement page: its numbers, its reasons, and that nobody sees them before they may."""

from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from labeling.models import Member, Role, Round
from labeling.selectors import results
from labeling.services.rounds import close_round
from tests.labeling.factories import cast, make_member, make_open_round, make_project
from tests.labeling.results.builders import annotators, lead_of, voted_round

pytestmark = pytest.mark.django_db
BrowserOf = Callable[[Member], Client]
HANG, CRASH = ("hang",), ("crash",)
VOTES = ((HANG, HANG, HANG), (CRASH, CRASH, HANG), (HANG, CRASH, CRASH), (CRASH, CRASH, CRASH))


def address(round_: Round, name: str = "agreement") -> str:
    return reverse(f"labeling:{name}", args=[round_.project.slug, round_.number])


def page(browser: Client, round_: Round, query: str = "?axis=symptom") -> str:
    return " ".join(browser.get(address(round_) + query).content.decode().split())


def test_every_coefficient_has_its_value_interval_and_size(browser_of: BrowserOf) -> None:
    round_ = voted_round(VOTES)
    html = page(browser_of(lead_of(round_)), round_)
    report = results.measured(
        results.seen_votes(member=lead_of(round_), round_=round_), results.names_of(codebook=round_.codebook)
    ).reports[0]
    for key in ("percent", "fleiss", "ac1", "alpha_nominal", "cohen_mean"):
        one = report.coefficient(key)
        assert one.value is not None
        assert one.interval is not None
        assert one.interval.low is not None
        assert f"{one.value:.3f}" in html
        assert f"{one.interval.low:.3f} to" in html
    assert "4 issues, 12 votes, 3 annotators" in html


def test_an_undefined_number_has_its_reason_in_its_place(browser_of: BrowserOf) -> None:
    round_ = voted_round(((HANG, HANG), (HANG, HANG)))
    html = page(browser_of(lead_of(round_)), round_)
    assert "chance alone would agree" in html
    assert "nan" not in html.lower().replace("finance", "")


def test_weak_categories_come_first_with_their_reason_and_in_names(browser_of: BrowserOf) -> None:
    round_ = voted_round(VOTES)
    html = page(browser_of(lead_of(round_)), round_)
    assert "&#x27;Crash&#x27;: alpha is" in html
    assert "Others say instead: &#x27;Hang&#x27;" in html


def test_pairs_dissent_and_confusions_are_told(browser_of: BrowserOf) -> None:
    round_ = voted_round(VOTES)
    one, two, _ = annotators(lead_of(round_), 3)
    html = page(browser_of(lead_of(round_)), round_)
    assert f"{one.pseudonym} and {two.pseudonym}" in html
    assert "33.3 %" in html
    assert "Where one says “Hang”, the others say “Crash” instead" in html


def test_an_axis_that_there_is_not_is_refused(browser_of: BrowserOf) -> None:
    round_ = voted_round(VOTES)
    response = browser_of(lead_of(round_)).get(address(round_) + "?axis=colour")
    assert response.status_code == 400
    assert "“colour” is not an axis with votes here. Known are" in response.content.decode()


def test_rounds_and_codebooks_stand_side_by_side(browser_of: BrowserOf) -> None:
    first = voted_round(VOTES)
    second = voted_round(VOTES, lead=lead_of(first))
    html = page(browser_of(lead_of(first)), second)
    assert "Round 1, Main" in html
    assert "Round 2, Main" in html
    assert "Codebook 1, all rounds" in html


def test_the_matrix_is_the_one_that_was_used(browser_of: BrowserOf) -> None:
    round_ = voted_round(((HANG, CRASH),))
    one, two = annotators(lead_of(round_), 2)
    response = browser_of(one).get(address(round_, "agreement-matrix") + "?axis=symptom")
    lines = b"".join(response.streaming_content).decode().splitlines()  # type: ignore[attr-defined]
    url = round_.items.get().subject.url
    assert lines == [f"issue,{one.pseudonym},{two.pseudonym}", f"{url},Hang,Crash"]
    assert browser_of(one).get(address(round_, "agreement-matrix") + "?axis=nothing").status_code == 400


@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.ADJUDICATOR])
def test_nothing_is_shown_to_the_blind_while_the_round_is_open(browser_of: BrowserOf, role: Role) -> None:
    round_, people = make_open_round(annotators=2, issues=1)
    for member in people:
        cast(member, round_)
    reader = people[0] if role == Role.ANNOTATOR else make_member(round_.project, role)
    assert "Nothing can be shown yet" in page(browser_of(reader), round_)
    assert browser_of(reader).get(address(round_, "agreement-matrix") + "?axis=symptom").status_code == 404
    observer = make_member(round_.project, Role.OBSERVER)
    assert "1 issue, 2 votes" in page(browser_of(observer), round_)


def test_a_lead_who_labels_is_as_blind(browser_of: BrowserOf) -> None:
    round_, people = make_open_round(annotators=1, issues=1, votes_wanted=1)
    lead = lead_of(round_)
    Member.objects.filter(pk=lead.pk).update(roles=[Role.LEAD, Role.ANNOTATOR])
    cast(people[0], round_)
    assert "Nothing can be shown yet" in page(browser_of(lead), round_)


def test_an_adjudicator_sees_it_after_their_own_first_opinions(browser_of: BrowserOf) -> None:
    round_ = voted_round(VOTES)
    judge = make_member(round_.project, Role.ADJUDICATOR)
    assert "Nothing can be shown yet" in page(browser_of(judge), round_)


def test_others_find_nothing(browser_of: BrowserOf) -> None:
    round_ = voted_round(VOTES)
    assert browser_of(make_project()).get(address(round_)).status_code == 404


def test_what_is_measured_once_is_kept_and_new_votes_are_measured_anew() -> None:
    round_, people = make_open_round(annotators=2, issues=2)
    lead = lead_of(round_)
    for member in people:
        cast(member, round_)
    names = results.names_of(codebook=round_.codebook)
    before = results.seen_votes(member=lead, round_=round_)
    assert results.measured(before, names).reports[0].units == 1
    for member in people:
        cast(member, round_)
    after = results.seen_votes(member=lead, round_=round_)
    assert after.fingerprint != before.fingerprint
    assert results.measured(after, names).reports[0].units == 2


def test_many_votes_are_shown_at_once_and_their_intervals_later(
    browser_of: BrowserOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    round_ = voted_round(VOTES)
    lead = lead_of(round_)
    monkeypatch.setattr(results, "AT_ONCE", 1)
    sent: list[tuple[int, ...]] = []

    def send(_task: object, *arguments: int) -> None:
        sent.append(arguments)

    monkeypatch.setattr("labeling.web.results.agreement.send", send)
    html = page(browser_of(lead), round_)
    page(browser_of(lead), round_)
    assert "intervals are being computed" in html
    assert sent == [(lead.pk, round_.pk)]
    from labeling.tasks import measure_round

    measure_round(*sent[0])
    assert "intervals are being computed" not in page(browser_of(lead), round_)


@pytest.mark.parametrize("rounds", [1, 3])
def test_takes_as_many_statements_for_many_rounds(
    browser_of: BrowserOf, django_assert_max_num_queries: DjangoAssertNumQueries, rounds: int
) -> None:
    round_ = voted_round(VOTES)
    for _ in range(rounds - 1):
        voted_round(VOTES, lead=lead_of(round_))
    browser = browser_of(lead_of(round_))
    page(browser, round_)
    with django_assert_max_num_queries(20):
        page(browser, round_)
    cache.clear()


def test_closing_opens_it_to_annotators(browser_of: BrowserOf) -> None:
    round_, people = make_open_round(annotators=2, issues=1)
    for member in people:
        cast(member, round_)
    close_round(lead=lead_of(round_), round_=round_)
    assert "1 issue, 2 votes" in page(browser_of(people[0]), round_)
