"""Rules across axes: what an answer on one axis says about another one."""

from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from labeling.models import Codebook, CodebookNode, CrossRule, Member, ProjectNode, Role
from labeling.refusals import RefusedError
from labeling.services.people import require


@transaction.atomic
def add_rule(
    *, lead: Member, when: ProjectNode, kind: CrossRule.Kind, others: Sequence[ProjectNode], reason: str
) -> CrossRule:
    """Ask from now on, also in open rounds, that a vote for `when` goes with one of `others`, or with none of them.

    Raises RefusedError unless all nodes are in the newest codebook, and the others on another axis than `when`.
    """
    require(lead, Role.LEAD)
    if not others:
        raise RefusedError("Choose at least one answer on another axis.")
    if not reason.strip():
        raise RefusedError("Give the reason: annotators who vote against the rule see it.")
    codebook = Codebook.objects.filter(project=lead.project_id).order_by("-number").first()
    nodes = {when.pk, *(node.pk for node in others)}
    if CodebookNode.objects.filter(codebook=codebook, node__in=nodes).count() < len(nodes):
        raise RefusedError("A rule can only name categories of the newest codebook.")
    if any(node.axis_id == when.axis_id for node in others):
        raise RefusedError("A rule spans two axes: choose the other answers on another axis.")
    rule = CrossRule.objects.create(project_id=lead.project_id, when=when, kind=kind, reason=reason.strip())
    rule.others.set(others)
    return rule


@transaction.atomic
def retire_rule(*, lead: Member, rule: CrossRule) -> None:
    """Stop applying a rule. Votes that gave a reason against it keep the reason."""
    require(lead, Role.LEAD)
    if rule.project_id != lead.project_id:
        raise RefusedError("This rule belongs to another project.")
    CrossRule.objects.filter(pk=rule.pk, retired_at=None).update(retired_at=timezone.now())
