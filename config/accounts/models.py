"""Tokens by which programs use the labeling API as somebody. Other tables of accounts are Django's and allauth's."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from knox.models import AbstractAuthToken

from labeling.api.scopes import Scope


class ApiToken(AbstractAuthToken):  # type: ignore[misc]
    """A token of django-rest-knox, of which only a hash is stored; with scopes, a name and an end."""

    name = models.CharField(max_length=80)
    scopes = ArrayField(models.CharField(max_length=20))
    last_used = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["expiry"], name="api_token_expiry")]
        constraints = [
            models.CheckConstraint(
                condition=Q(expiry__isnull=False, expiry__gt=F("created")), name="api_token_expires"
            ),
            models.CheckConstraint(
                condition=Q(scopes__len__gt=0, scopes__contained_by=Scope.values), name="api_token_scopes_known"
            ),
            models.CheckConstraint(condition=~Q(name=""), name="api_token_named"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.token_key} ...)"

    def scope_labels(self) -> list[str]:
        """What the token may be used for, in words."""
        return [Scope(scope).label for scope in self.scopes]
