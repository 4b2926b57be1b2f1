"""Publishing what a project decided into the knowledge base, and withdrawing it. See docs/decisions/0017.

Every batch of issues is one transaction that brings labels and their provenance to what is held at that moment, so
that a run that was killed is simply run again, and running it twice changes nothing.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from kb.models import Label, Node, Provenance, Source
from kb.services.cause_links import follow_labels
from kb.services.consensus import Finding, ensure_consensus_source, replace_findings, take_back, vote_in_node
from kb.services.labels import LabelChanges
from labeling.models import Decision, Job, Project, ProjectNode, Publication
from labeling.refusals import RefusedError
from labeling.selectors import findings
from labeling.selectors.findings import Held
from labeling.selectors.targets import Target, targets
from labeling.services.jobs import report

BATCH = 500
LONGEST_SLUG = 60


def publish(job: Job) -> Mapping[str, Any]:
    """Bring everything the project has published in line with what it holds now; the work of a job.

    Returns counts. Raises RefusedError when nothing is decided and nothing was ever published.
    """
    project = job.project
    wanted = findings.decided_issues(project_id=project.pk)
    if not wanted and not Publication.objects.filter(project=project).exists():
        raise RefusedError("Nothing is decided yet, so there is nothing to publish.")
    source = _source(project)
    with transaction.atomic():
        known = _with_new_nodes(project)
    stale = sorted(_published_issues(source) - set(wanted))
    total, counts = len(wanted) + len(stale), {"added": 0, "reworded": 0, "removed": 0}
    for start in range(0, len(wanted), BATCH):
        changes = _publish_batch(project, source, wanted[start : start + BATCH], known)
        for name in counts:
            counts[name] += getattr(changes, name)
        report(job, done=min(start + BATCH, len(wanted)), total=total)
    for start in range(0, len(stale), BATCH):
        counts["removed"] += take_back(source=source, issue_ids=stale[start : start + BATCH])
    report(job, done=total, total=total)
    _describe(project, source)
    Publication.objects.filter(project=project).update(published_at=timezone.now(), withdrawn_at=None)
    follow_labels()
    return {"issues": len(wanted), **counts}


def withdraw(job: Job) -> Mapping[str, Any]:
    """Take everything that the project has published out of the knowledge base; the work of a job.

    Nodes that it voted in stay: others may use them by now, and curators retire nodes.
    """
    publication = Publication.objects.select_related("source").filter(project=job.project_id).first()
    if publication is None:
        raise RefusedError("Nothing of this project was ever published.")
    issues = sorted(_published_issues(publication.source))
    removed = 0
    for start in range(0, len(issues), BATCH):
        removed += take_back(source=publication.source, issue_ids=issues[start : start + BATCH])
        report(job, done=min(start + BATCH, len(issues)), total=len(issues))
    Source.objects.filter(pk=publication.source_id).update(trust_note="Withdrawn by its project.")
    Publication.objects.filter(pk=publication.pk).update(withdrawn_at=timezone.now())
    follow_labels()
    return {"issues": len(issues), "removed": removed}


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


def _with_new_nodes(project: Project) -> Mapping[int, Target]:
    """Where each of the project's nodes is published, after what it voted in has its place there."""
    known = targets(project_id=project.pk)
    decided = Decision.versions.through.objects.filter(
        decision__in=findings.decisions_in_force(project_id=project.pk).order_by().values("pk")
    )
    needed = {pk for pk in decided.values_list("nodeversion__node", flat=True) if pk is not None}
    for pk in sorted({one.version.node_id for key in needed if (one := known[key]).version is not None}):
        _vote_in(project, pk, known)
    return targets(project_id=project.pk)


def _vote_in(project: Project, pk: int, known: Mapping[int, Target]) -> Node:
    """Put a project node into the house codebook, its parents before it."""
    one = ProjectNode.objects.select_related("axis__axis", "node").get(pk=pk)
    if one.node is not None:
        return one.node
    version = known[pk].version
    if version is None:
        raise RefusedError(known[pk].blocked)
    parent = None
    if version.parent_id is not None:
        parent = known[version.parent_id].node or _vote_in(project, version.parent_id, known)
    words = ("name", "definition", "include", "exclude", "examples", "aliases")
    one.node = vote_in_node(
        axis=one.axis.axis, code=one.code, parent=parent, project=project.name,
        values={name: getattr(version, name) for name in words},
    )  # fmt: skip
    one.save(update_fields=["node"])
    return one.node


@transaction.atomic
def _publish_batch(
    project: Project, source: Source, issue_ids: Sequence[int], known: Mapping[int, Target]
) -> LabelChanges:
    """Write what is held of these issues now; what was reopened since the run began is held no more."""
    held = findings.held(project_id=project.pk, issue_ids=issue_ids)
    wanted = {pk: [_finding(one, project, known) for one in held.get(pk, ())] for pk in issue_ids}
    return replace_findings(source=source, wanted=wanted)


def _finding(one: Held, project: Project, known: Mapping[int, Target]) -> Finding:
    row = one.decision
    found = (known[version.node_id].node for version in row.versions.all())
    nodes = tuple(dict.fromkeys(node for node in found if node is not None))
    values = {
        "project": project.name,
        "round": row.item.round.name,
        "rule": row.item.round.get_rule_display(),
        "codebook": row.item.round.codebook.number,
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
    }
    return Finding(axis=row.axis.axis, nodes=nodes, reason=_reason(row), how=values)


def _reason(row: Decision) -> str:
    """Why the label is there, in one sentence."""
    number = f"{row.support} of {row.votes} independent votes"
    if row.how != Decision.How.ADJUDICATION and row.support == row.votes:
        return f"All {row.votes} independent votes." if row.votes > 1 else "One vote."
    if row.how == Decision.How.MAJORITY:
        return f"{number}, and the majority for each category named."
    if row.how == Decision.How.DISCUSSION:
        return f"{number}; the majority after a discussion."
    return f"{number}; settled by an adjudicator: {row.reason}"


def _describe(project: Project, source: Source) -> None:
    """Say what the source stands on, with its numbers."""
    rows = list(Provenance.objects.filter(source=source).values_list("votes", "how"))
    votes = [number for number, _ in rows]
    fewest, most = (min(votes), max(votes)) if votes else (0, 0)
    each = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    settled = sum(how in ("discussion", "adjudication") for _, how in rows)
    confidence = Source.Confidence.HIGH if fewest > 1 else Source.Confidence.MEDIUM
    if project.is_demo:
        confidence = Source.Confidence.LOW
    note = (
        f"{'Made to try things out. ' if project.is_demo else ''}{len(rows):,} answers, each from {each} independent "
        f"blind votes; {settled:,} of them settled by discussion or by an adjudicator."
    )
    values = {"name": project.name, "confidence": confidence, "trust_note": note}
    ensure_consensus_source(slug=source.slug, values=values)
