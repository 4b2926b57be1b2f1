"""The settings of logging in through others: GitHub, and an issuer of OpenID Connect; `settings.py` takes them over."""

import hashlib
from typing import Any
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured


def log_in(env: environ.Env, *, local: bool) -> dict[str, Any]:
    """What the environment says of both. Without its variables the addresses of a provider do not exist."""
    github, oidc = _github(env), _oidc(env, local=local)
    providers = {**github.pop("providers"), **oidc.pop("providers")}
    return (
        github
        | oidc
        | {
            "SOCIALACCOUNT_PROVIDERS": providers,
            # Where their log-in forms lead, for the Content-Security-Policy.
            "LOG_IN_ORIGINS": [*github.pop("origins"), *oidc.pop("origins")],
            "SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT": True,
        }
    )


def _github(env: environ.Env) -> dict[str, Any]:
    """Both variables are needed."""
    app = {
        "client_id": env.str("GITHUB_LOGIN_ID", default=""),
        "secret": env.str("GITHUB_LOGIN_SECRET", default=""),
    }
    is_set = all(app.values())
    return {
        "GITHUB_LOGIN": is_set,
        "origins": ["https://github.com"] if is_set else [],
        "providers": {"github": {"APPS": [app], "OAUTH_PKCE_ENABLED": True}} if is_set else {},
    }


def _oidc(env: environ.Env, *, local: bool) -> dict[str, Any]:
    """Issuer, id and secret are needed."""
    issuer = env.str("OIDC_ISSUER", default="")
    client_id, secret = env.str("OIDC_CLIENT_ID", default=""), env.str("OIDC_CLIENT_SECRET", default="")
    name = env.str("OIDC_NAME", default="") or "single sign-on"
    is_set = bool(issuer and client_id and secret)
    if issuer and not issuer.startswith(("https://", "http://") if local else "https://"):
        raise ImproperlyConfigured(f"OIDC_ISSUER is “{issuer}”; it must begin with https://.")
    # Another issuer may give the same id to somebody else: what was connected before holds for its own issuer only.
    provider_id = f"oidc-{hashlib.sha256(issuer.encode()).hexdigest()[:12]}"
    app = {
        "provider_id": provider_id,
        "name": name,
        "client_id": client_id,
        "secret": secret,
        "settings": {
            "server_url": issuer.rstrip("/"),
            # Tokens must name the issuer that was configured, whatever its own description says.
            "openid_configuration_overrides": {"issuer": issuer},
        },
    }
    origins = [
        "{0.scheme}://{0.netloc}".format(urlsplit(issuer)),
        *(part.strip() for part in env.str("OIDC_ORIGINS", default="").split(",") if part.strip()),
    ]
    return {
        "OIDC_LOGIN": is_set,
        "OIDC_ID": provider_id,
        "OIDC_NAME": name,
        # Whether an address that the issuer calls verified opens the account that has it.
        "OIDC_TRUST_EMAIL": env.bool("OIDC_TRUST_EMAIL", default=False),
        # Whether people of the issuer may make accounts where sign-up is closed.
        "OIDC_SIGNUP": env.bool("OIDC_SIGNUP", default=False),
        "origins": origins if is_set else [],
        "providers": {"openid_connect": {"APPS": [app], "OAUTH_PKCE_ENABLED": True}} if is_set else {},
    }
