"""Which ways to log in through others are set up: their names and addresses, for pages."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.urls import NoReverseMatch, reverse


@dataclass(frozen=True)
class LogInProvider:
    """Somebody who vouches for people."""

    name: str
    login_url: str


def providers_offered() -> Iterator[LogInProvider]:
    """Those whose addresses exist, in the order of their buttons."""
    ways: tuple[tuple[str, str, dict[str, str]], ...] = (
        (settings.OIDC_NAME, "openid_connect_login", {"provider_id": settings.OIDC_ID}),
        ("GitHub", "github_login", {}),
    )
    for name, route, parameters in ways:
        with suppress(NoReverseMatch):
            yield LogInProvider(name, reverse(route, kwargs=parameters))


def provider_name(provider_id: str) -> str:
    """What people call the provider of a connected account."""
    names: dict[str, str] = {"github": "GitHub", settings.OIDC_ID: settings.OIDC_NAME}
    return names.get(provider_id, "a provider of earlier days")


def connected_name(account: SocialAccount) -> str:
    """What a connected account is called at its provider."""
    said = account.extra_data
    claims = said.get("userinfo") or said.get("id_token") or {}
    return str(said.get("login") or claims.get("email") or account.uid)


def names_of(accounts: Iterable[SocialAccount]) -> str:
    """The providers of somebody's connected accounts, in words."""
    return ", ".join(dict.fromkeys(provider_name(account.provider) for account in accounts))
