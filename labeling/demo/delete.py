"""Removes the demo project with everything in it, votes and decisions too. Postgres lets no other project go.

The guards that keep votes and decisions for ever are put aside for this transaction only, after the project was found
to be a demo under a lock; that a project is a demo is said when it is founded and never changes (`Project`).
"""

from collections.abc import Iterator
from graphlib import TopologicalSorter

import pgtrigger
from django.apps import apps
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import ForeignKey, Model

from kb.models import Source
from labeling.demo import ACCOUNTS, SLUG
from labeling.models import Item, Member, Project, Publication, Snapshot
from labeling.refusals import RefusedError


@transaction.atomic
def remove_demo() -> int:
    """Remove it, and its accounts where they are in nothing else. Returns how many rows went.

    Raises RefusedError when there is none, when the project of that name is a real one, and while something of it is
    published.
    """
    project = Project.objects.select_for_update().filter(slug=SLUG).first()
    if project is None:
        raise RefusedError("There is no demo project.")
    if not project.is_demo:
        raise RefusedError(f"The project “{project.name}” is a real one, and is not removed.")
    published = Publication.objects.filter(project=project)
    if published.filter(withdrawn_at=None).exists():
        raise RefusedError("What the demo published is in the knowledge base: withdraw the publication first.")
    sources = list(published.values_list("source", flat=True))
    frozen = list(Item.objects.filter(round__project=project).values_list("snapshot", flat=True))
    with pgtrigger.ignore(*_guards()):
        removed = sum(_remove_rows(model, path, project) for model, path in _belongings())
    removed += Snapshot.objects.filter(pk__in=frozen).exclude(pk__in=Item.objects.values("snapshot")).delete()[0]
    removed += Project.objects.filter(pk=project.pk).delete()[0]
    removed += Source.objects.filter(pk__in=sources).delete()[0]
    return removed + _remove_accounts()


def _guards() -> Iterator[str]:
    """The triggers of everything in a project, but not of the project itself."""
    for model, trigger in pgtrigger.registered():
        if model._meta.app_label == "labeling" and model._meta.model is not Project:
            yield f"{model._meta.label}:{trigger.name}"


def _belongings() -> list[tuple[type[Model], str]]:
    """Every table of labeling whose rows belong to a project, with the way there; what refers to others comes first."""
    models = list(apps.get_app_config("labeling").get_models(include_auto_created=True))
    order = TopologicalSorter({model: {one.related_model for one in _keys(model)} - {model} for model in models})
    ways = {model: _way(model) for model in models}
    return [(model, ways[model]) for model in reversed(list(order.static_order())) if ways.get(model)]


def _way(model: type[Model]) -> str:
    """The shortest chain of foreign keys to the project, as a filter takes it; empty where there is none."""
    waiting: list[tuple[type[Model], str]] = [(model, "")]
    seen = {model}
    while waiting:
        here, way = waiting.pop(0)
        for key in _keys(here):
            step = f"{way}__{key.name}" if way else key.name
            if key.related_model is Project:
                return step
            if key.related_model not in seen and not key.null:
                seen.add(key.related_model)
                waiting.append((key.related_model, step))
    return ""


def _keys(model: type[Model]) -> list["ForeignKey[Model, Model]"]:
    return [field for field in model._meta.get_fields() if isinstance(field, ForeignKey)]


def _remove_rows(model: type[Model], path: str, project: Project) -> int:
    """In one statement, and without asking what refers to them: that went before, or is checked at the end."""
    rows = model._base_manager.filter(**{path: project})
    return rows._raw_delete(rows.db)


def _remove_accounts() -> int:
    """The demo's accounts; one that has meanwhile got into another project is closed instead."""
    removed = 0
    for user in User.objects.filter(username__in=ACCOUNTS):
        if Member.objects.filter(user=user).exists() or Project.objects.filter(created_by=user).exists():
            user.is_active = False
            user.set_unusable_password()
            user.save()
        else:
            user.delete()
            removed += 1
    return removed
