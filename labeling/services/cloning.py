"""A new project like another one: its axes, categories, rules and guidelines, and its team if wanted.

Rounds, votes and what was published stay with the project that had them.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

from django.db import models, transaction

from labeling.models import (
    Codebook,
    CodebookNode,
    CrossRule,
    Guideline,
    Member,
    NodeVersion,
    Project,
    ProjectNode,
    Role,
)
from labeling.refusals import RefusedError
from labeling.selectors.codebooks import axes_of
from labeling.services.codebooks import write_guideline
from labeling.services.people import add_member, found_project, require
from labeling.services.projects import suggested_slug

Row = TypeVar("Row", bound=models.Model)


@transaction.atomic
def clone_project(*, lead: Member, name: str, question: str, slug: str = "", with_team: bool = False) -> Member:
    """Found a project with what this one has now; returns its lead, who is this one's `lead`.

    The team keeps its roles and gets new pseudonyms. Raises RefusedError where the project has no codebook yet.
    """
    require(lead, Role.LEAD)
    codebook = Codebook.objects.filter(project=lead.project_id).order_by("-number").first()
    if codebook is None:
        raise RefusedError("This project has no codebook yet, so there is nothing to copy.")
    slug = slug or suggested_slug(name=name)
    new_lead = found_project(user=lead.user, slug=slug, name=name.strip(), question=question.strip())
    project = new_lead.project
    old = lead.project
    Project.objects.filter(pk=project.pk).update(
        shows_comments=old.shows_comments, repeats=old.repeats, repeats_after=old.repeats_after
    )
    nodes = _copy_codebook(codebook, project)
    _copy_rules(lead.project, project, nodes)
    guideline = Guideline.objects.filter(project=lead.project_id).order_by("-number").first()
    if guideline:
        write_guideline(lead=new_lead, text=guideline.text)
    if with_team:
        for member in lead.project.members.filter(left_at=None).exclude(pk=lead.pk).select_related("user"):
            copy = add_member(project, member.user, member.roles, is_senior=member.is_senior)
            Member.objects.filter(pk=copy.pk).update(is_pseudonymous=member.is_pseudonymous)
    return new_lead


def _copy_codebook(codebook: Codebook, project: Project) -> Mapping[int, ProjectNode]:
    """The categories of this codebook become the project's first one. Returns the new nodes by the old ones' keys."""
    axes = {each.axis.pk: _copied(each.axis, project=project, since=1) for each in axes_of(codebook=codebook)}
    for axis in axes.values():
        axis.save()
    entries = list(codebook.entries.select_related("version", "node"))
    nodes = {entry.node_id: _copied(entry.node, axis=axes[entry.node.axis_id]) for entry in entries}
    ProjectNode.objects.bulk_create(nodes.values())
    first = Codebook.objects.create(
        project=project, number=1, change=f"Copied from “{codebook.project}”, codebook {codebook.number}."
    )
    versions = [
        _copied(
            entry.version, node=nodes[entry.node_id], axis=axes[entry.version.axis_id], number=1,
            parent=nodes.get(entry.version.parent_id or 0),
        )
        for entry in entries
    ]  # fmt: skip
    NodeVersion.objects.bulk_create(versions)
    CodebookNode.objects.bulk_create(
        CodebookNode(codebook=first, node=version.node, version=version) for version in versions
    )
    return nodes


def _copy_rules(old: Project, new: Project, nodes: Mapping[int, ProjectNode]) -> None:
    """Rules in force whose categories are all in the codebook."""
    for rule in CrossRule.objects.filter(project=old, retired_at=None).prefetch_related("others"):
        others = [nodes[node.pk] for node in rule.others.all() if node.pk in nodes]
        if rule.when_id in nodes and others:
            copy = _copied(rule, project=new, when=nodes[rule.when_id])
            copy.save()
            copy.others.set(others)


def _copied(row: Row, **changes: Any) -> Row:
    """A row with the same values, but for its key and the changes; it is not saved yet."""
    fields = [field for field in row._meta.concrete_fields if not field.primary_key and field.name not in changes]
    values = {field.attname: getattr(row, field.attname) for field in fields}
    return type(row)(**values, **changes)
