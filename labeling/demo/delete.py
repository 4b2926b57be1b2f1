"""Deletes the demo project with everything in it, votes and decisions too. Postgres lets no other project go.

The triggers that keep votes and decisions for ever are ignored in this transaction only, after the project was found to
be a demo under a lock; whether a project is a demo is set when it is founded and never changes (`Project`).
"""

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
    """Delete it, and its accounts where they are in no other project. Returns how many rows were deleted.

    Raises RefusedError where there is none, where the project of that name is no demo, and while it is published.
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
    snapshots = list(Item.objects.filter(round__project=project).values_list("snapshot", flat=True))
    guards = []
    for model, trigger in pgtrigger.registered():
        if model._meta.app_label == "labeling" and model._meta.model is not Project:
            guards.append(f"{model._meta.label}:{trigger.name}")
    removed = 0
    with pgtrigger.ignore(*guards):
        for table in _models_by_dependency():
            path = _path_to_project(table)
            if path:
                # One statement that does not ask what refers to the rows: that was deleted before.
                rows = table._base_manager.filter(**{path: project})
                removed += rows._raw_delete(rows.db)
    removed += Snapshot.objects.filter(pk__in=snapshots).exclude(pk__in=Item.objects.values("snapshot")).delete()[0]
    removed += Project.objects.filter(pk=project.pk).delete()[0]
    removed += Source.objects.filter(pk__in=sources).delete()[0]
    return removed + _remove_accounts()


def _models_by_dependency() -> list[type[Model]]:
    """Every table of labeling, each before those that it refers to."""
    models = apps.get_app_config("labeling").get_models(include_auto_created=True)
    order = TopologicalSorter({model: {key.related_model for key in _keys(model)} - {model} for model in models})
    return list(reversed(list(order.static_order())))


def _path_to_project(model: type[Model]) -> str:
    """The shortest chain of foreign keys to the project, as a filter takes it; empty where there is none."""
    queue: list[tuple[type[Model], str]] = [(model, "")]
    seen = {model}
    for current, path in queue:
        for key in _keys(current):
            step = f"{path}__{key.name}" if path else key.name
            if key.related_model is Project:
                return step
            if key.related_model not in seen and not key.null:
                seen.add(key.related_model)
                queue.append((key.related_model, step))
    return ""


def _keys(model: type[Model]) -> list["ForeignKey[Model, Model]"]:
    return [field for field in model._meta.get_fields() if isinstance(field, ForeignKey)]


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
