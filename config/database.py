"""How Django connects to PostgreSQL, and what a pooler in between changes; no tables."""

from typing import Any

from django.core.exceptions import ImproperlyConfigured

POOLS = ("", "session", "transaction")


def settings(address: dict[str, Any], pool: str) -> dict[str, Any]:
    """Of one database; raises ImproperlyConfigured for a way of pooling that nobody knows."""
    if pool not in POOLS:
        raise ImproperlyConfigured(f"DATABASE_POOL is “{pool}”; it must be session, transaction or empty.")
    return {
        **address,
        "ENGINE": "config.postgres",
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        # Where sessions are shared by transaction, the rows of a cursor would be another's.
        "DISABLE_SERVER_SIDE_CURSORS": pool == "transaction",
        # Over a network nobody says that a server's machine is gone: who waits for it is told within half a minute.
        "OPTIONS": {
            "connect_timeout": 5,
            "tcp_user_timeout": 20_000,
            "keepalives_idle": 10,
            "keepalives_interval": 5,
            "keepalives_count": 3,
            **address.get("OPTIONS", {}),
        },
    }
