"""Who comes to the labeling API with a token: `labeling.api` takes the class by `LABELING_TOKEN_AUTHENTICATION`."""

from datetime import timedelta

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils import timezone
from knox.auth import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.request import Request

from config.accounts.models import ApiToken
from config.accounts.staff import lacks_required_factor
from kb.http import rates
from kb.http.visitors import visitor_of

# How exact `last_used` is; more exact would write at every request.
NOTED_EVERY = timedelta(minutes=1)


class ApiTokenAuthentication(TokenAuthentication):  # type: ignore[misc]
    """`Authorization: Bearer fbk_...`: a token that is neither expired nor of a closed account."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """Whose token it is. Whoever shows wrong ones too often must wait."""
        try:
            found: tuple[User, ApiToken] | None = super().authenticate(request)
        except (AuthenticationFailed, UnicodeDecodeError) as error:
            _count_failure(request)
            raise AuthenticationFailed("This token does not exist, was revoked or has expired.") from error
        return found

    def validate_user(self, auth_token: ApiToken) -> tuple[User, ApiToken]:
        """Refuse closed accounts, and staff without the second factor that they need; note the use."""
        user, token = super().validate_user(auth_token)
        if lacks_required_factor(user):
            raise AuthenticationFailed("Staff of this site need a second factor.")
        now = timezone.now()
        is_due = Q(last_used=None) | Q(last_used__lt=now - NOTED_EVERY)
        ApiToken.objects.filter(is_due, pk=token.pk).update(last_used=now)
        return user, token

    def _cleanup_token(self, auth_token: ApiToken) -> bool:
        """Whether it has expired. Expired ones stay in their owner's list for a while: reading deletes nothing."""
        return bool(auth_token.expiry < timezone.now())


def _count_failure(request: Request) -> None:
    rate = rates.rate_of("anon")
    if rate is None:
        return
    for counted in rates.count(f"bad-token-{visitor_of(request._request)}", {"anon": rate}):
        if not counted.is_allowed:
            raise Throttled(wait=counted.wait)
