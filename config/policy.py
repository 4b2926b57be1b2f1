"""What a page may load and send: our own origin for everything, no frames, no inline script, no plug-ins."""

from typing import Any

from csp.constants import NONE, SELF


def content_security(*, github_login: bool) -> dict[str, Any]:
    """The Content-Security-Policy, as django-csp reads it."""
    return {
        "DIRECTIVES": {
            "default-src": [NONE],
            "script-src": [SELF],
            "style-src": [SELF],
            "img-src": [SELF, "data:"],
            "font-src": [SELF],
            "connect-src": [SELF],
            # Chromium holds a form to this along its redirects, and logging in with GitHub is one.
            "form-action": [SELF, "https://github.com"] if github_login else [SELF],
            "base-uri": [NONE],
            "frame-ancestors": [NONE],
            "manifest-src": [SELF],
        }
    }
