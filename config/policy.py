"""What browsers are held to: what a page may load and send, how they come here, and what other sites may read."""

from typing import Any

import environ
from csp.constants import NONE, SELF

# What programs ask for: over plain http they are refused (`plain_http`), where browsers are led to https.
PROGRAMS = ("/api/", "/mcp", "/metrics", "/ingest/github/")


def content_security(*, log_in_origins: list[str]) -> dict[str, Any]:
    """The Content-Security-Policy, as django-csp reads it: our own origin, no frames, no inline script, no plug-ins.

    Forms may also lead to where people log in through others: Chromium holds a form to this along its redirects.
    """
    return {
        "DIRECTIVES": {
            "default-src": [NONE],
            "object-src": [NONE],
            "script-src": [SELF],
            "style-src": [SELF],
            "img-src": [SELF, "data:"],
            "font-src": [SELF],
            "connect-src": [SELF],
            "form-action": [SELF, *log_in_origins],
            "base-uri": [NONE],
            "frame-ancestors": [NONE],
            "manifest-src": [SELF],
        }
    }


def browsers(env: environ.Env, *, local: bool) -> dict[str, Any]:
    """The settings of everything else. `local`: a run on one's own machine over plain http."""
    return {
        "X_FRAME_OPTIONS": "DENY",
        "SECURE_REFERRER_POLICY": "same-origin",
        "SECURE_CROSS_ORIGIN_OPENER_POLICY": "same-origin",
        "SESSION_COOKIE_HTTPONLY": True,
        # Anybody's page may read the public API; nothing can be written there. Labeling's is for its own pages'
        # sessions.
        "CORS_ALLOW_ALL_ORIGINS": True,
        "CORS_ALLOW_METHODS": ["GET", "HEAD", "OPTIONS"],
        "CORS_ALLOW_HEADERS": ["accept", "content-type", "if-none-match"],
        "CORS_URLS_REGEX": r"^/api/(?!v1/labeling/).*$",
        "CORS_EXPOSE_HEADERS": ["ETag", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "Retry-After"],
    } | ({} if local else _https_only(env))


def _https_only(env: environ.Env) -> dict[str, Any]:
    return {
        "SECURE_SSL_REDIRECT": True,
        # Load balancers ask for the first two over plain http.
        "SECURE_REDIRECT_EXEMPT": [r"^healthz$", r"^readyz$", *(f"^{path[1:]}" for path in PROGRAMS)],
        "SECURE_PROXY_SSL_HEADER": ("HTTP_X_FORWARDED_PROTO", "https"),
        # Browsers remember it for so long, and cannot be told otherwise: off until asked for. The two others bind other
        # names of the same domain as well.
        "SECURE_HSTS_SECONDS": env.int("HSTS_SECONDS", default=0),
        "SECURE_HSTS_INCLUDE_SUBDOMAINS": env.bool("HSTS_SUBDOMAINS", default=False),
        "SECURE_HSTS_PRELOAD": env.bool("HSTS_PRELOAD", default=False),
        # Django would have HSTS and both of its extensions everywhere; here that is the operator's to say.
        "SILENCED_SYSTEM_CHECKS": ["security.W004", "security.W005", "security.W021"],
        "SESSION_COOKIE_SECURE": True,
        "CSRF_COOKIE_SECURE": True,
        # Browsers take these names from this host alone, over https: no other name of the domain can set them.
        "SESSION_COOKIE_NAME": "__Host-sessionid",
        "CSRF_COOKIE_NAME": "__Host-csrftoken",
    }
