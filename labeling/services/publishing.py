"""Publishing what a project decided into the knowledge base, and withdrawing it. See docs/decisions/0017.

Every batch of issues is one transaction that brings labels and their provenance to what is held at that moment, so
that a run that was killed is simply run again, and running it twice changes nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Count, Max, Min, Q, QuerySet
from django.utils import timezone

from kb.models import Label, Provenance, Source
from kb.services.cause_links import follow_labels
from kb.services.consensus import Finding, ensure_consensus_source, replace_findings, take_back
from kb.services.labels import LabelChanges
from labeling.models import Decision, Job, Member, Project, Publication, Role, Round, StaffAction
from labeling.refusals import RefusedError
from labeling.rights import Right, require_right
from labeling.selectors import findings
from labeling.selectors.findings import Held
from labeling.selectors.targets import Target, targets
from labeling.selectors.trust import RoundAgreement, agreement_of, level_of
from labeling.services import jobs
from labeling.services.categories import request_categories
from labeling.services.people import require, require_not_suspended

BATCH = 500
LONGEST_SLUG = 60


def ask_to_publish(*, lead: Member, includes_pilots: bool = False) -> Job:
    """Ask for the publication to be brought up to date. Raises RefusedError for who may not, or where staff forbid it.

    Pilot rounds are left out unless somebody asks for them.
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
    """Raises RefusedError for who may not publish the project, or where staff forbid it. A demo needs no right."""
    require(lead, Role.LEAD)
    if not lead.project.is_demo:
        require_right(lead.user, Right.PUBLISH)
    _require_not_barred(lead.project_id)


def publish(job: Job) -> Mapping[str, Any]:
    """Bring everything the project has published in line with what it holds now; the work of a job.

    Returns counts. Raises RefusedError when nothing is decided and nothing was ever published, and where who asked
    for it may not publish, or not any more.
    """
    project, pilots = job.project, bool(job.arguments.get("pilots"))
    _require_may_publish(jobs.asker(job))
    wanted = findings.decided_issues(project_id=project.pk, pilots=pilots)
    if not wanted and not Publication.objects.filter(project=project).exists():
        raise RefusedError("Nothing is decided yet, so there is nothing to publish.")
    source = _source(project)
    known = targets(project_id=project.pk)
    decided = findings.decisions_in_force(project_id=project.pk, pilots=pilots)
    request_categories(needed=_new_nodes(decided, known))
    agreement = agreement_of(rounds=set(decided.order_by().values_list("item__round", flat=True)))
    run = _Run(project, source, pilots, known, agreement)
    stale = sorted(_published_issues(source) - set(wanted))
    total, counts = len(wanted) + len(stale), {"added": 0, "reworded": 0, "removed": 0}
    for start in range(0, len(wanted), BATCH):
        changes = _publish_batch(run, wanted[start : start + BATCH])
        for name in counts:
            counts[name] += getattr(changes, name)
        jobs.report(job, done=min(start + BATCH, len(wanted)), total=total)
    for start in range(0, len(stale), BATCH):
        counts["removed"] += take_back(source=source, issue_ids=stale[start : start + BATCH])
    jobs.report(job, done=total, total=total)
    _finish(run)
    follow_labels()
    return {"issues": len(wanted), **counts}


def withdraw(job: Job) -> Mapping[str, Any]:
    """Take everything that the project has published out of the knowledge base; the work of a job.

    Categories that curators accepted stay: others may use them by now, and curators retire nodes.
    """
    publication = Publication.objects.select_related("source").filter(project=job.project_id).first()
    if publication is None:
        raise RefusedError("Nothing of this project was ever published.")
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
    said = set(Provenance.objects.filter(source=source).values_list("issue", flat=True))
    return said | set(Label.objects.filter(source=source).order_by().values_list("issue", flat=True))


@transaction.atomic
def _source(project: Project) -> Source:
    """The project's source; the first publication makes it."""
    Project.objects.select_for_update().get(pk=project.pk)
    found = Publication.objects.select_related("source").filter(project=project).first()
    if found is not None:
        return found.source
    slug = f"labeling-{project.slug}"
    if len(slug) > LONGEST_SLUG:
        slug = f"labeling-project-{project.pk}"
    source = ensure_consensus_source(slug=slug, values={"name": project.name, "confidence": Source.Confidence.LOW})
    Publication.objects.create(project=project, source=source)
    return source


@dataclass(frozen=True)
class _Run:
    """What one publication works with: where nodes are published, and the agreement in each round."""

    project: Project
    source: Source
    pilots: bool
    known: Mapping[int, Target]
    agreement: Mapping[int, RoundAgreement]


def _new_nodes(decided: QuerySet[Decision], known: Mapping[int, Target]) -> list[int]:
    """Project nodes that were decided on and are not in the house codebook yet."""
    through = Decision.versions.through.objects.filter(decision__in=decided.order_by().values("pk"))
    used = {pk for pk in through.values_list("nodeversion__node", flat=True) if pk is not None}
    return sorted({version.node_id for pk in used if (version := known[pk].version) is not None})


@transaction.atomic
def _publish_batch(run: _Run, issue_ids: Sequence[int]) -> LabelChanges:
    """Write what is held of these issues now; what was reopened since the run began is held no more."""
    _lock_publication(run.project)
    held = findings.held(project_id=run.project.pk, issue_ids=issue_ids, pilots=run.pilots)
    wanted = {pk: [_finding(one, run) for one in held.get(pk, ()) if _has_place(one, run.known)] for pk in issue_ids}
    return replace_findings(source=run.source, wanted=wanted)


@transaction.atomic
def _finish(run: _Run) -> None:
    _lock_publication(run.project)
    _describe(run.project, run.source)
    Publication.objects.filter(project=run.project).update(
        published_at=timezone.now(), withdrawn_at=None, includes_pilots=run.pilots
    )


def _lock_publication(project: Project) -> None:
    """Wait for staff who are just withdrawing it. Raises RefusedError where they did, or suspended the project."""
    locked = Publication.objects.select_for_update(of=("self",)).select_related("project").get(project=project)
    require_not_suspended(locked.project)
    _require_not_barred(project.pk)


def _has_place(one: Held, known: Mapping[int, Target]) -> bool:
    """Is every category of the answer in the house codebook? Half of a set of answers would be another answer."""
    return all(known[version.node_id].node is not None for version in one.decision.versions.all())


def _finding(one: Held, run: _Run) -> Finding:
    row, round_ = one.decision, one.decision.item.round
    found = (run.known[version.node_id].node for version in row.versions.all())
    nodes = tuple(dict.fromkeys(node for node in found if node is not None))
    agreement = run.agreement.get(round_.pk, RoundAgreement())
    values = {
        "project": run.project.name,
        "round": round_.name,
        "rule": round_.get_rule_display(),
        "codebook": round_.codebook.number,
        "votes": row.votes,
        "support": row.support,
        "answers": [list(pair) for pair in one.answers],
        "agreement": one.agreement,
        "posts": one.posts,
        "revised": one.revised,
        "how": row.how,
        "is_undecidable": row.is_undecidable,
        "cause": row.get_cause_display() if row.cause else "",
        "reason": row.reason,
        "decided_on": timezone.localdate(row.created_at),
        "release": one.release,
        "people": list(one.people),
        "confidence": level_of(row, agreement, is_demo=run.project.is_demo),
        "is_pilot": round_.kind == Round.Kind.PILOT,
        "is_from_file": round_.is_from_file,
    }
    return Finding(axis=row.axis.axis, nodes=nodes, reason=_reason(row), how=values)


def _reason(row: Decision) -> str:
    """Why the label is there, in one sentence; a pilot, or votes from a file, are called so."""
    pilot = "Pilot round: " if row.item.round.kind == Round.Kind.PILOT else ""
    text = pilot + _votes_in_words(row)
    return text[:1].upper() + text[1:]


def _votes_in_words(row: Decision) -> str:
    independent, source = ("", " from a file") if row.item.round.is_from_file else ("independent ", "")
    number = f"{row.support} of {row.votes} {independent}votes{source}"
    if row.how != Decision.How.ADJUDICATION and row.support == row.votes:
        return f"all {row.votes} {independent}votes{source}." if row.votes > 1 else f"one vote{source}."
    if row.how == Decision.How.MAJORITY:
        return f"{number}, and the majority for each category named."
    if row.how == Decision.How.DISCUSSION:
        return f"{number}; the majority after a discussion."
    return f"{number}; settled by an adjudicator: {row.reason}"


def _describe(project: Project, source: Source) -> None:
    """Say what the source stands on, with its numbers. Its confidence is that of its answer in the middle."""
    levels = list(Source.Confidence.values)[::-1]
    rows = list(Provenance.objects.filter(source=source).values_list("confidence", flat=True))
    rows.sort(key=levels.index)
    confidence = rows[(len(rows) - 1) // 2] if rows else Source.Confidence.LOW
    values = {"name": project.name, "confidence": confidence, "trust_note": _trust_note(project, source)}
    ensure_consensus_source(slug=source.slug, values=values)


def _trust_note(project: Project, source: Source) -> str:
    answers = Provenance.objects.filter(source=source)
    found = answers.aggregate(
        number=Count("pk"),
        fewest=Min("votes", filter=Q(is_from_file=False)),
        most=Max("votes", filter=Q(is_from_file=False)),
        settled=Count("pk", filter=Q(how__in=("discussion", "adjudication"))),
        files=Count("pk", filter=Q(is_from_file=True)),
        pilots=Count("pk", filter=Q(is_pilot=True)),
        **{level: Count("pk", filter=Q(confidence=level)) for level in Source.Confidence.values},
    )
    here = found["number"] - found["files"]
    each = f"{found['fewest']}" if found["fewest"] == found["most"] else f"{found['fewest']} to {found['most']}"
    sentences = (
        "Made to try things out." if project.is_demo else "",
        f"{here:,} answers, each from {each} independent blind votes." if here else "",
        f"{found['files']:,} answers from votes in a file, cast elsewhere." if found["files"] else "",
        f"{found['settled']:,} were settled by discussion or by an adjudicator." if found["settled"] else "",
        f"{found['pilots']:,} are of a pilot round." if found["pilots"] else "",
        f"Confidence: {found['high']:,} high, {found['medium']:,} medium, {found['low']:,} low."
        if found["number"]
        else "Nothing is published.",
    )
    return " ".join(filter(None, sentences))
