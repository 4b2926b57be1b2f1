"""A gate: one round opens only when the annotators of another one agree enough."""

from typing import Any

import pytest

from labeling.models import Member, Role, Round
from labeling.refusals import RefusedError
from labeling.selectors.agreement import agreement_of
from labeling.services.rounds import close_round, open_round
from tests.labeling.factories import cast, make_member, make_project, make_round

pytestmark = pytest.mark.django_db


class Pilot:
    """A closed pilot of four issues: on type both agree throughout, on symptom in so many of the issues."""

    def __init__(self, agreed: int) -> None:
        self.lead = make_project()
        self.people = [make_member(self.lead.project) for _ in range(2)]
        self.round = make_round(self.lead, issues=4)
        for place in range(4):
            first = "hang" if place % 2 else "crash"
            second = first if place < agreed else "hang" if first == "crash" else "crash"
            kind = "bug" if place % 2 else "question"
            cast(self.people[0], self.round, symptom=(first,), kind=kind)
            cast(self.people[1], self.round, symptom=(second,), kind=kind)

    def main(self, measure: str = "fleiss", at_least: float = 0.7) -> Round:
        gate: dict[str, Any] = {"gate_round": self.round, "gate_measure": measure, "gate_at_least": at_least}
        return make_round(self.lead, is_open=False, **gate)


def test_the_main_round_opens_when_the_pilot_agrees_enough() -> None:
    pilot = Pilot(agreed=4)
    close_round(lead=pilot.lead, round_=pilot.round)
    assert open_round(lead=pilot.lead, round_=pilot.main()).state == "open"


@pytest.mark.parametrize("measure", Round.Measure.values)
def test_the_gate_stays_shut_and_says_on_which_axis_and_by_how_much(measure: str) -> None:
    pilot = Pilot(agreed=2)
    close_round(lead=pilot.lead, round_=pilot.round)
    with pytest.raises(RefusedError, match=r"^symptom: .* is -?0\.\d+ \(n = 4\); the gate asks for 0\.7\.$"):
        open_round(lead=pilot.lead, round_=pilot.main(measure))


def test_the_pilot_must_be_closed_first() -> None:
    pilot = Pilot(agreed=4)
    with pytest.raises(RefusedError, match="comes first"):
        open_round(lead=pilot.lead, round_=pilot.main())


def test_what_cannot_be_computed_opens_nothing_and_says_why() -> None:
    lead = make_project()
    people = [make_member(lead.project) for _ in range(2)]
    pilot = make_round(lead)
    for member in people:
        cast(member, pilot)
    close_round(lead=lead, round_=pilot)
    gate: dict[str, Any] = {"gate_round": pilot, "gate_measure": "fleiss", "gate_at_least": 0.7}
    with pytest.raises(RefusedError, match="is undefined"):
        open_round(lead=lead, round_=make_round(lead, is_open=False, **gate))


def test_agreement_is_as_blind_as_votes() -> None:
    pilot = Pilot(agreed=2)
    annotator = Member.objects.get(pk=pilot.people[0].pk)
    assert all(report.votes == 4 for report in agreement_of(member=annotator, round_=pilot.round, samples=0))
    assert all(len(report.annotators) == 1 for report in agreement_of(member=annotator, round_=pilot.round, samples=0))
    observer = make_member(pilot.lead.project, Role.OBSERVER)
    assert all(report.votes == 8 for report in agreement_of(member=observer, round_=pilot.round, samples=0))
