"""Publishing a project's decisions into the knowledge base, and withdrawing them. See docs/decisions/0017.

Every batch of issues is one transaction that brings labels and their provenance in line with the decisions in force at
that moment, so that a run that was killed can be run again, and running it twice changes nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Max, Min, Q
from django.utils import timezone

from kb.models import Label, Node, Provenance, Source
from kb.services.cause_links import follow_labels
from kb.services.consensus import Finding, ensure_consensus_source, replace_findings, take_back
from labeling.models import AuditEntry, Decision, Job, Member, Project, Publication, Role, Round, StaffAction
from labeling.refusals import RefusedError
from labeling.rights import Right, require_right
from labeling.selectors import findings
from labeling.selectors.findings import Held
from labeling.selectors.targets import Target, targets
from labeling.selectors.trust import RoundAgreement, agreement_of, level_of
from labeling.services import audit, jobs
from labeling.services.categories import request_categories
from labeling.services.people import require, require_not_suspended

BATCH = 500
LONGEST_SLUG = 60


def ask_to_publish(*, lead: Member, includes_pilots: bool = False) -> Job:
    """Queue the job that brings the publication up to date; pilot rounds are left out by default.

    Raises RefusedError where the lead may not publish, or where staff forbid it.
    """
    _require_may_publish(lead)
    return jobs.begin(lead=lead, kind=Job.Kind.PUBLISH, arguments={"pilots": includes_pilots})


def why_not_publish(*, lead: Member) -> str:
    """Why the lead may not publish the project, in a sentence; empty where they may."""
    try:
        _require_may_publish(lead)
    except RefusedError as error:
        return str(error)
    return ""


def _require_may_publish(lead: Member) -> None:
    """Raises RefusedError where the lead may not publish the project, or staff forbid it. A demo needs no right."""
    require(lead, Role.LEAD)
    if not lead.project.is_demo:
        require_right(lead.user, Right.PUBLISH)
    _require_not_barred(lead.project_id)


@dataclass(frozen=True)
class _Run:
    """What one publication works with: the targets of the project's nodes, and the agreement in each round."""

    project: Project
    source: Source
    pilots: bool
    targets: Mapping[int, Target]
    agreement: Mapping[int, RoundAgreement]


def publish(job: Job) -> Mapping[str, int]:
    """Bring the project's publication in line with its decisions in force; the work of a job.

    Raises RefusedError when nothing is decided and nothing was ever published, and where the lead who asked for it may
    not publish, or not any more.
    """
    project, pilots = job.project, bool(job.arguments.get("pilots"))
    _require_may_publish(jobs.asker(job))
    issues = findings.decided_issues(project_id=project.pk, pilots=pilots)
    if not issues and not Publication.objects.filter(project=project).exists():
        raise RefusedError("Nothing is decided yet, so there is nothing to publish.")
    run = _prepare_run(project, pilots)
    stale = sorted(_published_issues(run.source) - set(issues))
    total = len(issues) + len(stale)
    added = reworded = removed = 0
    for start in range(0, len(issues), BATCH):
        with transaction.atomic():
            _lock_publication(project)
            changes = replace_findings(source=run.source, wanted=_findings(run, issues[start : start + BATCH]))
        added += changes.added
        reworded += changes.reworded
        removed += changes.removed
        jobs.report(job, done=min(start + BATCH, len(issues)), total=total)
    for start in range(0, len(stale), BATCH):
        removed += take_back(source=run.source, issue_ids=stale[start : start + BATCH])
    jobs.report(job, done=total, total=total)
    with transaction.atomic():
        _lock_publication(project)
        _describe(project, run.source)
        Publication.objects.filter(project=project).update(
            published_at=timezone.now(), withdrawn_at=None, includes_pilots=pilots
        )
        audit.record(by=jobs.asker(job), kind=AuditEntry.Kind.PUBLISHED, detail=f"{len(issues)} issues")
    follow_labels()
    return {"issues": len(issues), "added": added, "reworded": reworded, "removed": removed}


def withdraw(job: Job) -> Mapping[str, int]:
    """Take everything that the project has published out of the knowledge base; the work of a job.

    Categories that curators accepted stay: others may use them by now, and only curators retire nodes.
    """
    publication = Publication.objects.select_related("source").filter(project=job.project_id).first()
    if publication is None:
        raise RefusedError("This project has never published anything.")
    issues = sorted(_published_issues(publication.source))
    removed = 0
    for start in range(0, len(issues), BATCH):
        removed += take_back(source=publication.source, issue_ids=issues[start : start + BATCH])
        jobs.report(job, done=min(start + BATCH, len(issues)), total=len(issues))
    by = "the site's staff" if publication.barred_at else "its project"
    Source.objects.filter(pk=publication.source_id).update(
        trust_note=f"Withdrawn by {by}.", confidence=Source.Confidence.LOW
    )
    Publication.objects.filter(pk=publication.pk).update(withdrawn_at=timezone.now())
    follow_labels()
    return {"issues": len(issues), "removed": removed}


def _require_not_barred(project_id: int) -> None:
    """Raises RefusedError where staff withdrew the publication and have not allowed it again."""
    if Publication.objects.filter(project=project_id).exclude(barred_at=None).exists():
        action = StaffAction.objects.filter(project=project_id, kind=StaffAction.Kind.WITHDRAW).first()
        why = f" Their reason: {action.reason}" if action else ""
        raise RefusedError(f"The site's staff withdrew this publication, and it cannot be published again.{why}")


def _published_issues(source: Source) -> set[int]:
    issues = set(Provenance.objects.filter(source=source).values_list("issue", flat=True))
    return issues | set(Label.objects.filter(source=source).order_by().values_list("issue", flat=True))


def _prepare_run(project: Project, pilots: bool) -> _Run:
    """Ensure the project's source, and ask curators about the nodes that the house codebook lacks."""
    source = _ensure_source(project)
    all_targets = targets(project_id=project.pk)
    decisions = findings.decisions_in_force(project_id=project.pk, pilots=pilots)
    through = Decision.versions.through.objects.filter(decision__in=decisions.order_by().values("pk"))
    used = set(through.values_list("nodeversion__node", flat=True))
    new_versions = [all_targets[pk].version for pk in used if pk is not None]
    request_categories(needed=sorted({version.node_id for version in new_versions if version is not None}))
    agreement = agreement_of(rounds=set(decisions.order_by().values_list("item__round", flat=True)))
    return _Run(project, source, pilots, all_targets, agreement)


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


def _lock_publication(project: Project) -> None:
    """Wait for staff who are just withdrawing it. Raises RefusedError where they did, or suspended the project."""
    locked = Publication.objects.select_for_update(of=("self",)).select_related("project").get(project=project)
    require_not_suspended(locked.project)
    _require_not_barred(project.pk)


def _findings(run: _Run, issue_ids: Sequence[int]) -> dict[int, list[Finding]]:
    """Issue id -> its findings now; a decision that was reopened since the run began is in force no more."""
    held = findings.held(project_id=run.project.pk, issue_ids=issue_ids, pilots=run.pilots)
    by_issue: dict[int, list[Finding]] = {pk: [] for pk in issue_ids}
    for pk, decisions in held.items():
        for each in decisions:
            nodes = [run.targets[version.node_id].node for version in each.decision.versions.all()]
            published = tuple(dict.fromkeys(node for node in nodes if node is not None))
            # Part of a set of categories would be another answer: all are in the house codebook, or none is published.
            if None not in nodes:
                by_issue[pk].append(_finding(each, published, run))
    return by_issue


def _finding(held: Held, nodes: tuple[Node, ...], run: _Run) -> Finding:
    decision, round_ = held.decision, held.decision.item.round
    agreement = run.agreement.get(round_.pk, RoundAgreement())
    values = {
        "project": run.project.name,
        "round": round_.name,
        "rule": round_.get_rule_display(),
        "codebook": round_.codebook.number,
        "votes": decision.votes,
        "support": decision.support,
        "answers": [list(pair) for pair in held.answers],
        "agreement": held.agreement,
        "posts": held.posts,
        "revised": held.revised,
        "how": decision.how,
        "is_undecidable": decision.is_undecidable,
        "cause": decision.get_cause_display() if decision.cause else "",
        "reason": decision.reason,
        "decided_on": timezone.localdate(decision.created_at),
        "release": held.release,
        "people": list(held.people),
        "confidence": level_of(decision, agreement, is_demo=run.project.is_demo),
        "is_pilot": round_.kind == Round.Kind.PILOT,
        "is_from_file": round_.is_from_file,
    }
    return Finding(axis=decision.axis.axis, nodes=nodes, reason=_reason(decision), how=values)


def _reason(decision: Decision) -> str:
    """Why the label is there, in one sentence, which names a pilot round and votes from a file."""
    round_ = decision.item.round
    votes = "votes from a file" if round_.is_from_file else "independent votes"
    support = f"{decision.support} of {decision.votes} {votes}"
    if decision.how != Decision.How.ADJUDICATION and decision.support == decision.votes:
        text = f"all {decision.votes} {votes}."
        if decision.votes == 1:
            text = "one vote from a file." if round_.is_from_file else "one vote."
    elif decision.how == Decision.How.MAJORITY:
        text = f"{support}, and the majority for each category named."
    elif decision.how == Decision.How.DISCUSSION:
        text = f"{support}; the majority after a discussion."
    else:
        text = f"{support}; settled by an adjudicator: {decision.reason}"
    if round_.kind == Round.Kind.PILOT:
        return f"Pilot round: {text}"
    return text[:1].upper() + text[1:]


def _describe(project: Project, source: Source) -> None:
    """Update the source's name, trust note, and confidence: the median of its answers' confidence."""
    levels = list(Source.Confidence.values)[::-1]
    rows = list(Provenance.objects.filter(source=source).values_list("confidence", flat=True))
    rows.sort(key=levels.index)
    confidence = rows[(len(rows) - 1) // 2] if rows else Source.Confidence.LOW
    values = {"name": project.name, "confidence": confidence, "trust_note": _trust_note(project, source)}
    ensure_consensus_source(slug=source.slug, values=values)


def _trust_note(project: Project, source: Source) -> str:
    answers = Provenance.objects.filter(source=source)
    counts = answers.aggregate(
        number=Count("pk"),
        fewest=Min("votes", filter=Q(is_from_file=False)),
        most=Max("votes", filter=Q(is_from_file=False)),
        settled=Count("pk", filter=Q(how__in=("discussion", "adjudication"))),
        files=Count("pk", filter=Q(is_from_file=True)),
        pilots=Count("pk", filter=Q(is_pilot=True)),
        **{level: Count("pk", filter=Q(confidence=level)) for level in Source.Confidence.values},
    )
    sentences = []
    if project.is_demo:
        sentences.append("Made as a demo.")
    blind = counts["number"] - counts["files"]
    if blind:
        fewest, most = counts["fewest"], counts["most"]
        votes = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        sentences.append(f"{blind:,} answers, each from {votes} independent blind votes.")
    if counts["files"]:
        sentences.append(f"{counts['files']:,} answers from votes in a file, cast elsewhere.")
    if counts["settled"]:
        sentences.append(f"{counts['settled']:,} were settled by discussion or by an adjudicator.")
    if counts["pilots"]:
        sentences.append(f"{counts['pilots']:,} are of a pilot round.")
    if counts["number"]:
        levels = f"{counts['high']:,} high, {counts['medium']:,} medium, {counts['low']:,} low"
        sentences.append(f"Confidence: {levels}.")
    else:
        sentences.append("Nothing is published.")
    return " ".join(sentences)
