"""Making, listing and revoking one's own tokens for the labeling API. Who comes with one is `token_authentication`."""

from collections.abc import Collection
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from config.accounts.models import ApiToken
from labeling.api.scopes import Scope
from labeling.refusals import RefusedError

MOST_TOKENS = 20
# Days after which a token can be set to expire.
LIFETIMES = (7, 30, 90, 365)
# Expired ones stay in the list for so long.
REMEMBERED = timedelta(days=30)


@transaction.atomic
def make_token(*, user: User, name: str, scopes: Collection[Scope], days: int) -> tuple[ApiToken, str]:
    """Make a token; returns it with its secret, which is known to nobody afterwards.

    Raises RefusedError when the account has too many.
    """
    # Locked, so that two requests at once do not make one too many.
    User.objects.select_for_update().get(pk=user.pk)
    if user.auth_token_set.filter(expiry__gt=timezone.now()).count() >= MOST_TOKENS:
        raise RefusedError(f"You have {MOST_TOKENS} tokens. Revoke one that you no longer need first.")
    token, secret = ApiToken.objects.create(user=user, name=name, scopes=sorted(scopes), expiry=timedelta(days=days))
    return token, secret


def tokens_of(*, user: User) -> QuerySet[ApiToken]:
    """The tokens of an account, newest first."""
    tokens: QuerySet[ApiToken] = ApiToken.objects.filter(user=user)
    return tokens.order_by("-created", "digest")


def revoke_token(*, user: User, token_key: str) -> bool:
    """Revoke a token of the account; whether it was there."""
    deleted, _ = tokens_of(user=user).filter(token_key=token_key).delete()
    return deleted > 0


def forget_expired_tokens() -> None:
    """Delete tokens that expired a while ago."""
    ApiToken.objects.filter(expiry__lt=timezone.now() - REMEMBERED).delete()
