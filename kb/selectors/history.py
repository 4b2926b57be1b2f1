"""The history that Postgres writes."""

from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast


def with_who(events: QuerySet[Any]) -> QuerySet[Any]:
    """The events with their user's name as `who`; None for imports and commands."""
    user = get_user_model()
    named: QuerySet[Any] = events.annotate(
        who_id=Cast(KeyTextTransform("user", "pgh_context__metadata"), IntegerField())
    ).annotate(who=Subquery(user._default_manager.filter(pk=OuterRef("who_id")).values(user.USERNAME_FIELD)))
    return named
