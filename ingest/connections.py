"""Which host answers for a repository, connected as the settings say. Each call makes a connection of its own."""

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from ingest.github.client import Client
from ingest.github.host import GitHub
from ingest.github.http import DEADLINE_FACTOR, Http
from ingest.github.meters import SharedMeters
from ingest.github.tokens import AppTokens, GivenTokens, Tokens
from ingest.host_errors import HostError
from ingest.hosts import Host as MirroredHost
from kb.models import Host, Repository

AGENT = "Faultbook (mirror of issues)"
# A wait for the host's limit that is no longer is sat out; a longer one ends the run.
PATIENCE_SECONDS = 15.0


def connect(*, repository: Repository, patience: float = PATIENCE_SECONDS) -> MirroredHost:
    """Connect to the repository's host. Raises `HostError` for a host that we cannot ask."""
    if repository.host != Host.GITHUB:
        raise HostError(f"Nobody here knows how to ask {repository.get_host_display()}")
    seconds = settings.GITHUB_TIMEOUT_SECONDS
    http = Http(seconds=seconds, agent=AGENT)
    broker: redis.Redis[bytes] = redis.Redis.from_url(
        settings.REDIS_URL, socket_connect_timeout=2, socket_timeout=5, retry=Retry(NoBackoff(), 1)
    )
    client = Client(
        http=http,
        tokens=_tokens(http),
        meters=SharedMeters(broker, longest=seconds * DEADLINE_FACTOR),
        api_url=settings.GITHUB_API_URL,
        graphql_url=settings.GITHUB_GRAPHQL_URL,
        patience=patience,
    )
    return GitHub(client)


def _tokens(http: Http) -> Tokens:
    if settings.GITHUB_APP_ID:
        return AppTokens(
            http=http,
            api_url=settings.GITHUB_API_URL,
            app_id=settings.GITHUB_APP_ID,
            private_key=settings.GITHUB_APP_PRIVATE_KEY,
            installation=settings.GITHUB_APP_INSTALLATION,
        )
    return GivenTokens(settings.GITHUB_TOKENS)


def may_ask_much() -> bool:
    """Is there a token or an app for GitHub? Without one it answers 60 requests an hour."""
    return bool(settings.GITHUB_TOKENS or settings.GITHUB_APP_ID)
