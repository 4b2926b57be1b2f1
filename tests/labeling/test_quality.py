"""How annotators do against gold answers and against themselves, and who is told of it when."""

from collections.abc import Sequence

import krippendorff
import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from kb.core.intervals import wilson
from labeling.ballots import Choice
from labeling.models import Item, Member, ProjectAxis, Repeat, Role, Round, Vote
from labeling.selectors.agreement import agreement_of
from labeling.selectors.quality import AxisCheck, PersonCheck, checks_of
from labeling.services.gold import give_gold
from labeling.services.repeats import skip_repeat, submit_repeat
from labeling.services.rounds import close_round
from tests.kb.web.reading import read
from tests.labeling.factories import cast_on, make_ballot, make_member, make_project, make_round
from tests.labeling.own_questions import HOURS, HOW_BAD, ballot, found, vote

pytestmark = pytest.mark.django_db
FIRST = ("hang", "hang", "crash", "crash", "hang", "hang")
SECOND = ("hang", "crash", "crash", "crash", "hang", "crash")


class Team:
    """A lead, two annotators, and an open round in which the first one voted on every issue, and again on it."""

    def __init__(self, issues: int = 6) -> None:
        self.lead = make_project()
        self.ada, self.bob = (make_member(self.lead.project) for _ in range(2))
        self.round = make_round(self.lead, issues=issues)
        for item, symptom in zip(self.items, FIRST, strict=False):
            cast_on(self.ada, item, symptom=(symptom,))

    @property
    def items(self) -> list[Item]:
        return list(self.round.items.select_related("round").order_by("position"))

    def gild(self, item: Item, *codes: str) -> None:
        axis = ProjectAxis.objects.get(project=self.lead.project, code="symptom")
        give_gold(member=self.lead, item=item, answers={axis: Choice(codes)}, reason="Known.")

    def repeat(self, *symptoms: str) -> None:
        for item, symptom in zip(self.items, symptoms, strict=False):
            Repeat.objects.create(vote=Vote.objects.get(item=item, member=self.ada), due_after=1)
            submit_repeat(member=self.ada, item=item, ballot=make_ballot(symptom=(symptom,)))

    def close(self) -> None:
        close_round(lead=self.lead, round_=self.round)
        self.round.refresh_from_db()


def only(found: Sequence[AxisCheck], axis: str = "symptom") -> AxisCheck:
    return next(check for check in found if check.axis == axis)


def of(team: Team, reader: Member) -> dict[int, PersonCheck]:
    return {person.member: person for person in checks_of(member=reader, round_=team.round).people}


class TestNumbers:
    def test_votes_are_compared_with_gold_answers_question_by_question(self) -> None:
        team = Team()
        for item in team.items:
            team.gild(item, "hang")
        check = only(of(team, team.lead)[team.ada.pk].gold)
        assert (check.number, check.same, check.interval) == (6, 4, wilson(4, 6))
        # Nothing was given on the other question.
        assert [each.axis for each in of(team, team.lead)[team.ada.pk].gold] == ["symptom"]

    def test_few_are_counted_and_no_more(self) -> None:
        team = Team()
        team.gild(team.items[0], "hang")
        check = only(of(team, team.lead)[team.ada.pk].gold)
        assert (check.number, check.same, check.interval, check.alpha) == (1, 1, None, None)

    def test_second_answers_are_compared_with_the_first_as_those_of_two_raters(self) -> None:
        team = Team()
        team.repeat(*SECOND)
        check = only(of(team, team.lead)[team.ada.pk].repeats)
        assert (check.number, check.same, check.interval) == (6, 4, wilson(4, 6))
        assert check.kappa
        # By hand: 4 of 6 are equal, and 4 x 2 + 2 x 4 of 36 would be by chance.
        assert check.kappa.value == pytest.approx((4 / 6 - 16 / 36) / (1 - 16 / 36))
        codes = [[symptom == "crash" for symptom in symptoms] for symptoms in (FIRST, SECOND)]
        alpha = krippendorff.alpha(reliability_data=np.array(codes, dtype=float), level_of_measurement="nominal")
        assert check.alpha
        assert check.alpha.value == pytest.approx(alpha)
        assert check.alpha.interval

    def test_distance_on_scales_is_in_steps_and_of_numbers_the_difference(self) -> None:
        lead = found(HOW_BAD, HOURS)
        member = make_member(lead.project)
        round_ = make_round(lead, issues=5, votes_wanted=1)
        axes = {axis.code: axis for axis in ProjectAxis.objects.filter(project=lead.project)}
        right = {axes["severity"]: Choice(("fatal",)), axes["hours"]: Choice(text="3.50")}
        for item in round_.items.select_related("round"):
            give_gold(member=lead, item=item, answers=right, reason="Known.")
        for bad, hours in (("mild", "3.5"), ("bad", "4"), ("fatal", "5"), ("fatal", "3.5"), ("fatal", "3.5")):
            answers = {code: ballot(bad=bad, hours=hours).choices[code] for code in ("severity", "hours")}
            filled = make_ballot()
            vote(member, round_, type(filled)(answers, confidence=3))
        person = checks_of(member=lead, round_=round_).people[0]
        assert only(person.gold, "severity").distance == pytest.approx(3 / 5)
        assert only(person.gold, "hours").distance == pytest.approx(2 / 5)
        assert only(person.gold, "hours").same == 3

    def test_skipped_ones_are_told_with_their_reasons(self) -> None:
        team = Team()
        Repeat.objects.create(vote=Vote.objects.get(item=team.items[0], member=team.ada), due_after=1)
        skip_repeat(member=team.ada, item=team.items[0], reason="I know it by heart.")
        person = of(team, team.lead)[team.ada.pk]
        assert (person.repeated, list(person.skipped)) == (0, ["I know it by heart."])

    def test_all_together_come_beside(self) -> None:
        team = Team()
        cast_on(team.bob, team.items[0], symptom=("crash",))
        team.gild(team.items[0], "hang")
        everybody = checks_of(member=team.lead, round_=team.round).everybody
        assert everybody
        assert (only(everybody.gold).number, only(everybody.gold).same) == (2, 1)

    def test_agreement_between_annotators_knows_nothing_of_them(self) -> None:
        team = Team()
        for item in team.items:
            cast_on(team.bob, item)
        before = agreement_of(member=team.lead, round_=team.round, samples=0)
        team.repeat(*SECOND)
        assert agreement_of(member=team.lead, round_=team.round, samples=0) == before


class TestWhoIsTold:
    def test_a_lead_who_does_not_vote_and_observers_at_any_time(self) -> None:
        team = Team()
        team.gild(team.items[0], "hang")
        for reader in (team.lead, make_member(team.lead.project, Role.OBSERVER)):
            assert set(of(team, reader)) == {team.ada.pk}

    def test_an_annotator_of_their_own_once_the_round_is_closed(self) -> None:
        team = Team()
        cast_on(team.bob, team.items[0])
        team.gild(team.items[0], "hang")
        team.repeat("hang")
        assert of(team, team.ada) == {}
        team.close()
        assert set(of(team, team.ada)) == {team.ada.pk}
        assert set(of(team, team.bob)) == {team.bob.pk}

    def test_a_lead_who_votes_of_all_once_it_is_closed(self) -> None:
        team = Team()
        lead = make_member(team.lead.project, Role.LEAD, Role.ANNOTATOR)
        team.gild(team.items[0], "hang")
        assert of(team, lead) == {}
        team.close()
        assert set(of(team, lead)) == {team.ada.pk}

    def test_an_adjudicator_never(self) -> None:
        team = Team()
        adjudicator = make_member(team.lead.project, Role.ADJUDICATOR)
        team.gild(team.items[0], "hang")
        team.close()
        assert of(team, adjudicator) == {}


class TestPages:
    def address(self, team: Team, name: str = "quality", *more: object) -> str:
        return reverse(f"labeling:{name}", args=[team.lead.project.slug, team.round.number, *more])

    def test_the_lead_reads_everybodys_numbers_and_takes_them_away_as_csv(self, client: Client) -> None:
        team = Team()
        for item in team.items:
            team.gild(item, "hang")
        team.repeat(*SECOND)
        client.force_login(team.lead.user)
        page = client.get(self.address(team)).content.decode()
        assert "Against gold answers" in page
        assert "67 %" in page
        assert team.ada.user.username in page
        lines = client.get(self.address(team, "quality-table")).getvalue().decode().splitlines()
        assert lines[0].startswith("round,annotator,check,axis,compared,same,share")
        assert lines[1].startswith(f"1,{team.ada.user.username},gold,symptom,6,4,0.666667,")

    def test_an_annotator_reads_when_they_will_be_told(self, client: Client) -> None:
        team = Team()
        client.force_login(team.ada.user)
        assert "once the round is closed" in client.get(self.address(team)).content.decode()
        team.close()
        assert "nothing to compare yet" in client.get(self.address(team)).content.decode()

    def test_the_lead_gives_gold_answers_by_a_form_and_changes_them(self, client: Client) -> None:
        team = Team()
        client.force_login(team.lead.user)
        address = self.address(team, "gold-answers", 1)
        assert client.post(address, {"symptom-gold-codes": ["hang"]}).status_code == 422
        client.post(address, {"symptom-gold-codes": ["hang"], "reason": "Known."})
        assert "Known." in client.get(self.address(team, "gold")).content.decode()
        page = client.get(address).content.decode()
        assert "Known." in page
        assert page.count("checked") == 1
        page = client.post(self.address(team, "gold-take-out", 1), follow=True).content.decode()
        assert "no gold answers any more" in page

    def test_a_file_tells_what_it_could_not_take(self, client: Client) -> None:
        from django.core.files.uploadedfile import SimpleUploadedFile

        team = Team()
        client.force_login(team.lead.user)
        text = (
            f"issue,axis,nodes\n{team.items[0].subject.url},symptom,hang\n{team.items[1].subject.url},symptom,smoke\n"
        )
        upload = SimpleUploadedFile("gold.csv", text.encode())
        sent = {"file": upload, "format": "long_csv", "reason": "Known."}
        page = client.post(self.address(team, "gold-file"), sent).content.decode()
        assert "1 issue got gold answers" in page
        assert "Line 3:" in page

    def test_a_closed_round_shows_them_and_takes_no_more(self, client: Client) -> None:
        team = Team()
        team.gild(team.items[0], "hang")
        team.close()
        client.force_login(team.lead.user)
        page = client.get(self.address(team, "gold")).content.decode()
        assert "Known." in page
        assert "From a file" not in page


def test_while_gold_is_mixed_in_the_sample_is_told_to_those_who_do_not_label(client: Client) -> None:
    team = Team()
    Round.objects.filter(pk=team.round.pk).update(sample={"kind": "urls", "gold": 2, "seed": "secret-seed"})
    told = {}
    for member in (team.lead, team.ada):
        client.force_login(member.user)
        for name in ("round", "sample-issues"):
            page = client.get(reverse(f"labeling:{name}", args=[member.project.slug, team.round.number]))
            told[member, name] = page.content.decode()
    for name in ("round", "sample-issues"):
        assert "With known answers, mixed in: 2 issues." in told[team.lead, name]
        assert "told once the round is closed" in told[team.ada, name]
        assert "mixed in" not in told[team.ada, name]
    assert "secret-seed" in told[team.lead, "round"]
    assert "secret-seed" not in told[team.ada, "round"]


def test_a_number_is_given_by_the_form_and_shown_again(client: Client) -> None:
    lead = found(HOW_BAD, HOURS)
    make_member(lead.project)
    make_round(lead, issues=1, votes_wanted=1)
    client.force_login(lead.user)
    address = reverse("labeling:gold-answers", args=[lead.project.slug, 1, 1])
    client.post(address, {"hours-gold-codes": "2.50", "severity-gold-codes": "bad", "reason": "Known."})
    page = read(client.get(address))
    assert page.inputs["hours-gold-codes"] == "2.5"
    assert "Hours lost: 2.5" in read(client.get(reverse("labeling:gold", args=[lead.project.slug, 1]))).words
    refused = client.post(address, {"hours-gold-codes": "many", "reason": "Known."})
    assert refused.status_code == 422
    assert "is not a number" in read(refused).words
