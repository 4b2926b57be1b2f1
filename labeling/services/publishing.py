"""Writing what curators accepted into the knowledge base, and taking it back. See docs/decisions/0017 and 0037.

Every batch of issues is one transaction that looks again at what curators withdrew and what the team reopened, so that
a run that was killed can be run again, and running it twice changes nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from kb.models import Node, Provenance, Source
from kb.selectors.consensus import published_answers
from kb.services.cause_links import follow_labels
from kb.services.consensus import Finding, ensure_consensus_source, replace_answers
from kb.services.labels import LabelChanges
from labeling.models import AcceptedAnswer, AuditEntry, Job, Project, Publication, PublicationRequest
from labeling.refusals import RefusedError
from labeling.scopes import Answered, withdrawal
from labeling.selectors import findings
from labeling.selectors.findings import Held
from labeling.selectors.publication import withdrawn_answers
from labeling.selectors.targets import Target, targets
from labeling.selectors.trust import RoundAgreement, agreement_of
from labeling.selectors.withdrawals import publication_actions
from labeling.services import audit, jobs
from labeling.services.people import require_not_suspended
from labeling.services.provenance import describe_source, finding_of

BATCH = 500
LONGEST_SLUG = 60
Wanted = dict[tuple[int, int], Finding | None]


@dataclass(frozen=True)
class _Run:
    """What one publication works with: the targets of the project's nodes, and the agreement in each round."""

    request: PublicationRequest
    project: Project
    source: Source
    targets: Mapping[int, Target]
    agreement: Mapping[int, RoundAgreement]
    nodes: Mapping[int, Node]


def publish(job: Job) -> Mapping[str, int]:
    """Write exactly what a curator accepted; the work of a job.

    What was reopened, changed or withdrawn since then is left out and counted. Raises RefusedError for a request that
    is not accepted, or not the newest one that is.
    """
    request = _accepted_request(job)
    issues = sorted(set(request.answers.order_by().values_list("issue", flat=True)))
    run = _prepare_run(request, job.project)
    changes, left_out = LabelChanges(0, 0, 0), 0
    for start in range(0, len(issues), BATCH):
        with transaction.atomic():
            _lock_publication(run.project)
            answers = list(request.answers.filter(issue__in=issues[start : start + BATCH]).select_related("axis"))
            wanted = _wanted(run, answers)
            changes += replace_answers(source=run.source, wanted=wanted)
        left_out += len(answers) - len(wanted)
        jobs.report(job, done=min(start + BATCH, len(issues)), total=len(issues))
    with transaction.atomic():
        publication = _lock_publication(run.project)
        # Where it was withdrawn meanwhile, with everything that was accepted, that stands.
        if publication.withdrawn_at is None or published_answers(source=run.source):
            describe_source(project=run.project, source=run.source)
            pilots = Provenance.objects.filter(source=run.source, is_pilot=True).exists()
            Publication.objects.filter(pk=publication.pk).update(
                published_at=timezone.now(), withdrawn_at=None, includes_pilots=pilots
            )
        PublicationRequest.objects.filter(pk=request.pk).update(published_at=timezone.now())
        audit.record_staff(
            by=cast("User", request.decided_by),  # A constraint of the database wants somebody.
            project=run.project,
            kind=AuditEntry.Kind.PUBLISHED,
            detail=f"{len(issues)} issues",
        )
    follow_labels()
    return {
        "issues": len(issues), "added": changes.added, "reworded": changes.reworded, "removed": changes.removed,
        "left_out": left_out,
    }  # fmt: skip


def withdraw(job: Job) -> Mapping[str, int]:
    """Take answers out of the knowledge base; the work of a job: all where a lead asks, or what curators withdrew.

    Categories that curators accepted stay: others may use them by now, and only curators retire nodes.
    """
    publication = Publication.objects.select_related("source").filter(project=job.project_id).first()
    if publication is None:
        raise RefusedError("This project has never published anything.")
    source, issues, removed = publication.source, set[int](), 0
    # What curators withdraw while the job runs belongs to it.
    while answers := _to_withdraw(job, source):
        batch = answers[:BATCH]
        removed += replace_answers(source=source, wanted=dict.fromkeys(batch)).removed
        issues |= {issue for issue, _ in batch}
        jobs.report(job, done=len(issues), total=len(issues | {issue for issue, _ in answers}))
    if published_answers(source=source):
        describe_source(project=job.project, source=source)
    else:
        by = "the site's staff" if job.member is None else "its project"
        note = f"Withdrawn by {by}."
        Source.objects.filter(pk=source.pk).update(trust_note=note, confidence=Source.Confidence.LOW)
        Publication.objects.filter(pk=publication.pk).update(withdrawn_at=timezone.now())
    follow_labels()
    return {"issues": len(issues), "removed": removed}


def _to_withdraw(job: Job, source: Source) -> list[tuple[int, int]]:
    if job.arguments.get("all"):
        return sorted(published_answers(source=source))
    actions = publication_actions(project_id=job.project_id)
    return withdrawn_answers(source=source, actions=actions)


def _accepted_request(job: Job) -> PublicationRequest:
    """The job's request. Raises RefusedError where it is not accepted, or a later one is."""
    require_not_suspended(job.project)
    requests = PublicationRequest.objects.filter(project=job.project_id, state=PublicationRequest.State.ACCEPTED)
    newest = requests.first()
    if newest is None or newest.pk != job.arguments.get("request"):
        raise RefusedError("This is not what a curator accepted last. Ask for publication again.")
    return newest


def _prepare_run(request: PublicationRequest, project: Project) -> _Run:
    answers = AcceptedAnswer.objects.filter(request=request)
    nodes = {node for row in answers.values_list("nodes", flat=True) for node in row}
    rounds = set(answers.exclude(decision=None).order_by().values_list("decision__item__round", flat=True))
    return _Run(
        request=request,
        project=project,
        source=_ensure_source(project),
        targets=targets(project_id=project.pk),
        agreement=agreement_of(rounds=rounds),
        nodes=Node.objects.in_bulk(nodes),
    )


@transaction.atomic
def _ensure_source(project: Project) -> Source:
    """The project's source, created by its first publication."""
    Project.objects.select_for_update().get(pk=project.pk)
    publication = Publication.objects.select_related("source").filter(project=project).first()
    if publication is not None:
        return publication.source
    slug = f"labeling-{project.slug}"
    if len(slug) > LONGEST_SLUG:
        slug = f"labeling-project-{project.pk}"
    source = ensure_consensus_source(slug=slug, values={"name": project.name, "confidence": Source.Confidence.LOW})
    Publication.objects.create(project=project, source=source)
    return source


def _lock_publication(project: Project) -> Publication:
    """Wait for staff who are just withdrawing something. Raises RefusedError where they suspended the project."""
    locked = Publication.objects.select_for_update(of=("self",)).select_related("project").get(project=project)
    require_not_suspended(locked.project)
    return locked


def _wanted(run: _Run, answers: Sequence[AcceptedAnswer]) -> Wanted:
    """(issue, axis) -> what to write, of the answers that still are what the curator saw and nobody withdrew."""
    actions = publication_actions(project_id=run.project.pk)
    issues = {answer.issue_id for answer in answers}
    held_now = findings.held(project_id=run.project.pk, issue_ids=issues, pilots=run.request.pilots)
    held = {each.decision.pk: each for decisions in held_now.values() for each in decisions}
    wanted: Wanted = {}
    for answer in answers:
        nodes = tuple(run.nodes[pk] for pk in answer.nodes)
        answered = Answered(answer.axis.code, frozenset(node.code for node in nodes))
        if answer.decision_id is None:
            wanted[answer.issue_id, answer.axis_id] = None
        elif (now := held.get(answer.decision_id)) and not withdrawal(actions, answered) and _is_same(run, now, nodes):
            agreement = run.agreement.get(now.decision.item.round_id, RoundAgreement())
            found = finding_of(now, nodes=nodes, project=run.project, agreement=agreement)
            wanted[answer.issue_id, answer.axis_id] = found
    return wanted


def _is_same(run: _Run, held: Held, nodes: Sequence[Node]) -> bool:
    """Whether the decision's categories are published as the nodes that the curator saw."""
    targeted = [run.targets[version.node_id].node for version in held.decision.versions.all()]
    return set(targeted) == set(nodes)
