"""What a token may be for in the labeling API. Which tokens there are is the accounts' to say."""

from typing import Protocol

from django.db import models


class Scope(models.TextChoices):
    """A part of the labeling API that a token opens."""

    READ = "labeling:read", "Read projects, rounds and the votes that you may see"
    VOTE = "labeling:vote", "Take issues, keep drafts, vote and pass issues on, as you"


class ScopedToken(Protocol):
    """A token that a request was authenticated with."""

    scopes: list[str]
