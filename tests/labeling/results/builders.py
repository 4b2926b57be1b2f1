"""Rounds that are voted on, closed and settled, for tests of what comes out of them."""

from collections.abc import Collection, Sequence
from typing import Any

from django.contrib.auth.models import User

from kb.models import Issue, Label, Source
from labeling.models import Decision, Item, Job, Member, PublicationRequest, Role, Round
from labeling.rights import Right
from labeling.selectors.publication import digest_of, preview
from labeling.services import jobs
from labeling.services.decisions import accept
from labeling.services.oversight import give_rights
from labeling.services.publication_requests import (
    accept_publication,
    ask_for_publication,
    ask_to_withdraw,
    publish_demo,
)
from labeling.services.rounds import close_round
from labeling.tasks import WORK
from tests.labeling.factories import cast, issue_of, make_member, make_project, make_round, make_user

Votes = Sequence[Sequence[tuple[str, ...]]]


def voted_round(votes: Votes = ((("hang",), ("hang",)),), *, lead: Member | None = None, **settings: Any) -> Round:
    """A closed round: for each issue, the symptoms that each annotator named."""
    lead = lead or make_project()
    people = annotators(lead, max(len(one) for one in votes))
    round_ = make_round(lead, issues=len(votes), votes_wanted=len(people), **settings)
    for symptoms in votes:
        for member, one in zip(people, symptoms, strict=True):
            cast(member, round_, symptom=one)
    close_round(lead=lead, round_=round_)
    round_.refresh_from_db()
    return round_


def annotators(lead: Member, number: int) -> list[Member]:
    """The project's annotators, as many as asked for."""
    known = list(Member.objects.filter(project=lead.project, roles=[Role.ANNOTATOR]).order_by("pk"))
    return [*known, *(make_member(lead.project) for _ in range(number - len(known)))][:number]


def lead_of(round_: Round) -> Member:
    """Who leads the round's project."""
    return Member.objects.filter(project=round_.project, roles__contains=[Role.LEAD]).select_related("project").get()


def settled_round(votes: Votes = ((("hang",), ("hang",)),), **settings: Any) -> Round:
    """The same with everything decided that the votes decide."""
    round_ = voted_round(votes, **settings)
    accept(lead=lead_of(round_), round_=round_, how=Decision.How.MAJORITY)
    return round_


def issues_of(round_: Round) -> list[Issue]:
    """The round's issues in the order of the sample."""
    return [issue_of(item) for item in Item.objects.filter(round=round_).select_related("issue").order_by("position")]


def published(issue: Issue) -> set[str]:
    """The codes of the issue's labels that projects published."""
    labels = Label.objects.filter(issue=issue, source__kind=Source.Kind.CONSENSUS)
    return set(labels.values_list("node__code", flat=True))


def do(lead: Member, kind: Job.Kind, **arguments: object) -> Job:
    """Ask for a job and do it here; a publication is asked for and accepted as a whole."""
    if kind == Job.Kind.PUBLISH:
        job = begin_to_publish(lead, pilots=bool(arguments.get("pilots")))
    elif kind == Job.Kind.WITHDRAW:
        job = ask_to_withdraw(lead=lead)
    else:
        job = jobs.begin(lead=lead, kind=kind, arguments=arguments)
    return work(job)


def begin_to_publish(lead: Member, *, scope: Collection[str] = (), pilots: bool = False) -> Job:
    """Ask for publication and have it accepted by a curator from elsewhere: the job is queued."""
    if lead.project.is_demo:
        return publish_demo(lead=lead, pilots=pilots)
    return accept_all(ask_for_publication(lead=lead, scope=scope, pilots=pilots))


def accept_all(request: PublicationRequest, *, scope: Collection[str] = (), by: User | None = None) -> Job:
    """A curator accepts what they see of a request."""
    digest = digest_of(preview(project_id=request.project_id, pilots=request.pilots).within(request.scope))
    return accept_publication(by=by or make_curator(), request=request, digest=digest, scope=scope)


def make_curator() -> User:
    """Somebody who oversees projects and is in none."""
    user = make_user()
    give_rights(user=user, rights=[Right.OVERSEE])
    return user


def work(job: Job) -> Job:
    """Do a job here."""
    jobs.run(job_id=job.pk, work=WORK[Job.Kind(job.kind)])
    job.refresh_from_db()
    return job
