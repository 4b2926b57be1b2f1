"""Makes the demo project: three accounts, guidelines, a pilot round that two have begun, and a main round after it.

Answers are the curated labels of the starter records, and here and there another node, so that there is something to
disagree about. Everything goes through the services; only the accounts are made here, and each slot's reservation is
set back, since a vote's time at work cannot be longer than its slot was held.
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
from labeling.services.assignment import next_slot
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
# Where the second annotator differs: position in the sample -> axis. Once on each axis, so that the gate of the main
# round opens whatever is answered on the issues that are left.
DISSENT: Mapping[int, str] = {2: "symptom", 3: "root_cause", 5: "issue_type"}
# Seconds at work on an issue.
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
    taken = User.objects.filter(username__in=ACCOUNTS).first()
    if taken:
        raise RefusedError(f"There is an account “{taken.username}” already, and the demo will not take it over.")
    axes = {axis.code: axis for axis in Axis.objects.filter(scheme__slug="house", code__in=AXES)}
    if len(axes) < len(AXES):
        raise RefusedError("The demo needs the house codebook: run “load_codebook” and “load_starter” first.")
    urls = _curated_urls()
    if len(urls) < PILOT + MAIN:
        raise RefusedError("The demo needs the starter knowledge base: run “load_starter” first.")
    users = {}
    for name in ACCOUNTS:
        # An address below “.invalid” leads nowhere (RFC 2606).
        user = User.objects.create_user(name, f"{name}@demo.invalid", passwords[name])
        EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
        users[name] = user
    lead = found_project(user=users[LEAD], slug=SLUG, name=NAME, question=QUESTION, is_demo=True)
    lead = change_roles(lead=lead, member=lead, roles=[Role.LEAD, Role.ADJUDICATOR], is_senior=lead.is_senior)
    adopt_axes(lead=lead, axes=[axes[code] for code in AXES])
    write_guideline(lead=lead, text=GUIDELINES)
    pilot = _prepare_rounds(lead, urls)
    annotators = []
    for name in (FIRST, SECOND):
        _, token = invite(lead=lead, roles=[Role.ANNOTATOR], note=name)
        annotators.append(join(user=users[name], token=token))
    _vote(open_round(lead=lead, round_=pilot), *annotators)
    return lead.project


def _curated_urls() -> Sequence[str]:
    """Curated issues with an answer on every axis, in the order of the seed."""
    issues = Issue.objects.filter(read_on__isnull=False).true_issues()
    for code in AXES:
        labels = Label.objects.filter(source__slug="curated", axis__code=code, axis__scheme__slug="house")
        issues = issues.filter(pk__in=labels.values("issue"))
    return shuffled(issues.values_list("url", flat=True), SEED)


def _prepare_rounds(lead: Member, urls: Sequence[str]) -> Round:
    """Prepare the pilot round, which is returned, and the main round, whose gate is the pilot's agreement."""
    pilot = prepare_round(
        lead=lead, kind=Round.Kind.PILOT, name="Pilot", votes_wanted=2, rule=Round.Rule.THIRD_EXPERT, order_seed=""
    )
    fill_round(lead=lead, round_=pilot, urls=urls[:PILOT], sample={"kind": "urls"})
    main = prepare_round(
        lead=lead, kind=Round.Kind.MAIN, name="Main", votes_wanted=2, rule=Round.Rule.THIRD_EXPERT,
        gate_round=pilot, gate_measure=Round.Measure.PERCENT, gate_at_least=0.5,
    )  # fmt: skip
    fill_round(lead=lead, round_=main, urls=urls[PILOT : PILOT + MAIN], sample={"kind": "urls"})
    return pilot


def _vote(pilot: Round, first: Member, second: Member) -> None:
    """The first annotator votes on everything; the second differs here and there, and leaves the last issues open."""
    axes = axes_of(codebook=pilot.codebook)
    items = Item.objects.filter(round=pilot).select_related("round", "snapshot").order_by("position")
    for item in items:
        choices = curated_choices(item, axes)
        _cast(first, item, choices)
        if item.position <= PILOT - LEFT:
            for nodes in axes:
                code = nodes.axis.code
                if code == DISSENT.get(item.position):
                    codes = [version.node.code for version in nodes.versions]
                    others = [other for other in codes if other not in choices[code].codes]
                    choices[code] = Choice((others[0],))
            _cast(second, item, choices)


def _cast(member: Member, item: Item, choices: Mapping[str, Choice]) -> None:
    seconds = seconds_at_work(member.user.get_username(), item.snapshot.content["url"])
    # The pilot goes by the order of the sample, so that this is the member's turn.
    next_slot(member=member, round_=item.round)
    started = F("reserved_until") - dt.timedelta(seconds=seconds)
    Slot.objects.filter(item=item, member=member).update(reserved_until=started)
    submit(member=member, item=item, ballot=demo_ballot(item, choices), active_seconds=seconds)


def seconds_at_work(name: str, url: str) -> int:
    """How long somebody was at work on an issue, made up; short times are more frequent than long ones.

    The same for the same seed, name and URL.
    """
    digest = hashlib.sha256("\n".join((SEED, name, url)).encode()).digest()
    share = int.from_bytes(digest[:4], "big") / 2**32
    return int(SHORTEST * (LONGEST / SHORTEST) ** share)


def curated_choices(item: Item, axes: Sequence[AxisNodes]) -> dict[str, Choice]:
    """Axis code -> what the curated labels say, as far as the project's codebook has the nodes."""
    labels = Label.objects.filter(issue=item.issue_id, source__slug="curated").select_related("node", "axis")
    labelled: dict[str, list[str]] = {}
    for label in labels.order_by("pk"):
        labelled.setdefault(label.axis.code, []).append(label.node.code)
    choices = {}
    for nodes in axes:
        in_codebook = {version.node.code for version in nodes.versions}
        codes = [code for code in labelled.get(nodes.axis.code, []) if code in in_codebook]
        if not nodes.axis.several:
            codes = codes[:1]
        choices[nodes.axis.code] = Choice(tuple(codes), is_undecidable=not codes)
    return choices


def demo_ballot(item: Item, choices: Mapping[str, Choice]) -> Ballot:
    """A complete ballot, with the title as evidence of the symptom."""
    title = str(item.snapshot.content["title"])
    evidence = [Passage("title", 0, len(title), "symptom")] if title else []
    return Ballot(choices, confidence=2 if item.position in DISSENT else 3, evidence=evidence)
