"""Makes the demo project: three accounts, guidelines, a pilot round that two have begun, and a main round behind it.

Answers are the curated labels of the starter records, and here and there a neighbour of them, so that there is
something to disagree about. Everything goes through the services; only the accounts are made here, and how long ago
each issue was taken, since a vote's time at work can be no longer than that.
"""

import datetime as dt
import hashlib
from collections.abc import Mapping, Sequence

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F

from kb.models import Axis, Issue, Label
from labeling.ballots import Ballot, Choice, Passage
from labeling.demo import ACCOUNTS, FIRST, LEAD, NAME, SECOND, SLUG
from labeling.models import Item, Member, Project, Role, Round, Slot
from labeling.refusals import RefusedError
from labeling.samples import shuffled
from labeling.selectors.codebooks import AxisNodes, axes_of
from labeling.services.assignment import take_item
from labeling.services.codebooks import adopt_axes, write_guideline
from labeling.services.members import change_roles
from labeling.services.people import found_project, invite, join
from labeling.services.rounds import fill_round, open_round, prepare_round
from labeling.services.voting import submit

AXES = ("issue_type", "symptom", "root_cause")
PILOT, MAIN = 8, 20
# How many pilot issues the second annotator has left to whoever tries the demo.
LEFT = 3
SEED = "demo"
# Where the second annotator sees it otherwise: place in the sample -> axis. Once on each axis, so that the gate of
# the main round opens whatever is answered on the issues that are left.
DISSENT: Mapping[int, str] = {2: "symptom", 3: "root_cause", 5: "issue_type"}
# Seconds at an issue.
SHORTEST, LONGEST = 45, 225
QUESTION = "What do people see when a run fails, and what was wrong?"
GUIDELINES = """\
Read the whole report before you answer. Then answer three questions:

- **Issue type**: what kind of report is it? A question about usage is no bug, even if something broke.
- **Symptom**: what does the reporter *see*? A time-out, a hang or an error message is a symptom, never a cause.
- **Root cause**: what was wrong, as far as the report or its fix shows? If neither tells, say so: *the report does not
  tell* is an answer like any other.

Select the words in the report that your answer rests on. Work alone: what the others said is shown to you when the
round is closed.
"""


@transaction.atomic
def make_demo(*, passwords: Mapping[str, str]) -> Project:
    """The demo project, with an account for each name in `ACCOUNTS`.

    Raises RefusedError where a project or an account is in the way, or the starter records are missing.
    """
    if Project.objects.filter(slug=SLUG).exists():
        raise RefusedError("The demo project is there already. “demo_project --remove” removes it.")
    if taken := User.objects.filter(username__in=ACCOUNTS).values_list("username", flat=True).first():
        raise RefusedError(f"There is an account “{taken}” already, and the demo will not take it over.")
    axes = {axis.code: axis for axis in Axis.objects.filter(scheme__slug="house", code__in=AXES)}
    if len(axes) < len(AXES):
        raise RefusedError("The demo needs the house codebook: run “load_codebook” and “load_starter” first.")
    issues = _issues()
    if len(issues) < PILOT + MAIN:
        raise RefusedError("The demo needs the starter knowledge base: run “load_starter” first.")
    users = {name: _account(name, passwords[name]) for name in ACCOUNTS}
    lead = found_project(user=users[LEAD], slug=SLUG, name=NAME, question=QUESTION, is_demo=True)
    lead = change_roles(lead=lead, member=lead, roles=[Role.LEAD, Role.ADJUDICATOR], is_senior=lead.is_senior)
    adopt_axes(lead=lead, axes=[axes[code] for code in AXES])
    write_guideline(lead=lead, text=GUIDELINES)
    pilot = _prepare_rounds(lead, issues)
    people = [_join(lead, users[name]) for name in (FIRST, SECOND)]
    pilot = open_round(lead=lead, round_=pilot)
    _vote(pilot, people)
    return lead.project


def _account(name: str, password: str) -> User:
    """An account that can log in at once. Its address leads nowhere: “.invalid” never does (RFC 2606)."""
    user = User.objects.create_user(name, f"{name}@demo.invalid", password)
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
    return user


def _join(lead: Member, user: User) -> Member:
    _, token = invite(lead=lead, roles=[Role.ANNOTATOR], note=user.username)
    return join(user=user, token=token)


def _issues() -> Sequence[str]:
    """The addresses of curated issues that have an answer on every axis, in the order of the seed."""
    issues = Issue.objects.filter(read_on__isnull=False).true_issues()
    for code in AXES:
        curated = Label.objects.filter(source__slug="curated", axis__code=code, axis__scheme__slug="house")
        issues = issues.filter(pk__in=curated.values("issue"))
    return shuffled(issues.values_list("url", flat=True), SEED)


def _prepare_rounds(lead: Member, issues: Sequence[str]) -> Round:
    """The pilot round, which is returned, and the main round that its agreement opens."""
    pilot = prepare_round(lead=lead, kind=Round.Kind.PILOT, name="Pilot", votes_wanted=2, rule=Round.Rule.THIRD_EXPERT)
    fill_round(lead=lead, round_=pilot, urls=issues[:PILOT], sample={"kind": "urls"})
    main = prepare_round(
        lead=lead, kind=Round.Kind.MAIN, name="Main", votes_wanted=2, rule=Round.Rule.THIRD_EXPERT,
        gate_round=pilot, gate_measure=Round.Measure.PERCENT, gate_at_least=0.5,
    )  # fmt: skip
    fill_round(lead=lead, round_=main, urls=issues[PILOT : PILOT + MAIN], sample={"kind": "urls"})
    return pilot


def _vote(pilot: Round, people: Sequence[Member]) -> None:
    """The first annotator has voted on everything, the second has left the last issues open."""
    axes = axes_of(codebook=pilot.codebook)
    items = Item.objects.filter(round=pilot).select_related("round", "snapshot").order_by("position")
    for item in items:
        curated = curated_choices(item, axes)
        ballots = [demo_ballot(item, curated), demo_ballot(item, _differing(item, curated, axes))]
        for member, ballot in zip(people, ballots, strict=True):
            if member is people[0] or item.position <= PILOT - LEFT:
                spent = seconds_at_work(member.user.get_username(), item.snapshot.content["url"])
                slot = take_item(member=member, item=item)
                begun = F("reserved_until") - dt.timedelta(seconds=spent)
                Slot.objects.filter(pk=slot.pk).update(reserved_until=begun)
                submit(member=member, item=item, ballot=ballot, active_seconds=spent)


def seconds_at_work(name: str, url: str) -> int:
    """How long somebody is said to have been at an issue; short times are more frequent than long ones.

    The same for the same seed, name and address.
    """
    digest = hashlib.sha256("\n".join((SEED, name, url)).encode()).digest()
    share = int.from_bytes(digest[:4], "big") / 2**32
    return int(SHORTEST * (LONGEST / SHORTEST) ** share)


def curated_choices(item: Item, axes: Sequence[AxisNodes]) -> dict[str, Choice]:
    """What the curated labels say, as far as the project's codebook has words for it."""
    labels = Label.objects.filter(issue=item.issue_id, source__slug="curated").select_related("node", "axis")
    found: dict[str, list[str]] = {}
    for label in labels.order_by("pk"):
        found.setdefault(label.axis.code, []).append(label.node.code)
    choices = {}
    for one in axes:
        known = {version.node.code for version in one.versions}
        codes = [code for code in found.get(one.axis.code, []) if code in known]
        kept = tuple(codes if one.axis.several else codes[:1])
        choices[one.axis.code] = Choice(kept, is_undecidable=not kept)
    return choices


def _differing(item: Item, curated: Mapping[str, Choice], axes: Sequence[AxisNodes]) -> dict[str, Choice]:
    """The same, but another answer on the axis on which these two differ."""
    choices = dict(curated)
    for one in axes:
        if one.axis.code == DISSENT.get(item.position):
            others = [
                version.node.code for version in one.versions if version.node.code not in choices[one.axis.code].codes
            ]
            choices[one.axis.code] = Choice((others[0],))
    return choices


def demo_ballot(item: Item, choices: Mapping[str, Choice]) -> Ballot:
    """A whole ballot; the title is what the symptom is seen in."""
    title = str(item.snapshot.content["title"])
    evidence = [Passage("title", 0, len(title), "symptom")] if title else []
    return Ballot(choices, confidence=2 if item.position in DISSENT else 3, evidence=evidence)
