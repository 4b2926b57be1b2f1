"""The settings of the mirrors of GitHub and Gitee (docs/mirroring.md); `settings.py` takes them over."""

from typing import Any

import environ


def settings(env: environ.Env) -> dict[str, Any]:
    """What the environment says of them."""
    github = env.str("GITHUB_API_URL", default="").rstrip("/") or "https://api.github.com"
    return {
        "GITHUB_API_URL": github,
        "GITHUB_GRAPHQL_URL": env.str("GITHUB_GRAPHQL_URL", default="") or f"{github}/graphql",
        # Without a token it may ask 60 times an hour, with each token 5,000 times.
        "GITHUB_TOKENS": _several(env.str("GITHUB_TOKEN", default="")),
        "GITHUB_APP_ID": env.str("GITHUB_APP_ID", default=""),
        "GITHUB_APP_PRIVATE_KEY": env.str("GITHUB_APP_PRIVATE_KEY", default="", multiline=True),
        "GITHUB_APP_INSTALLATION": env.str("GITHUB_APP_INSTALLATION", default=""),
        # Without a secret no webhook is taken; two at a time, while one takes the other's place.
        "GITHUB_WEBHOOK_SECRETS": _several(env.str("GITHUB_WEBHOOK_SECRET", default="")),
        # How long a host may be silent; a whole answer may take three times as long.
        "GITHUB_TIMEOUT_SECONDS": env.float("GITHUB_TIMEOUT_SECONDS", default=20.0),
        "GITEE_API_URL": env.str("GITEE_API_URL", default="").rstrip("/") or "https://gitee.com/api/v5",
        "GITEE_TOKENS": _several(env.str("GITEE_TOKEN", default="")),
        "GITEE_TIMEOUT_SECONDS": env.float("GITEE_TIMEOUT_SECONDS", default=20.0),
    }


def _several(written: str) -> list[str]:
    """What commas separate."""
    return [part.strip() for part in written.split(",") if part.strip()]
