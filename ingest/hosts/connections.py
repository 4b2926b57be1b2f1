"""Which host answers for a repository, connected as the settings say. Each call makes a connection of its own."""

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from ingest.hosts import Host as MirroredHost
from ingest.hosts.asking.http import Http
from ingest.hosts.asking.meters import SharedMeters
from ingest.hosts.asking.tokens import GivenTokens, Tokens
from ingest.hosts.gitee.client import Client as GiteeClient
from ingest.hosts.gitee.host import Gitee
from ingest.hosts.github.client import Client as GitHubClient
from ingest.hosts.github.host import GitHub
from ingest.hosts.github.tokens import AppTokens
from ingest.services.locks import wait_for_turn
from kb.models import Host, Repository

AGENT = "Faultbook (mirror of issues)"
# A wait for the host's limit that is no longer is sat out; a longer one ends the run.
PATIENCE_SECONDS = 15.0


def connect(*, repository: Repository, patience: float = PATIENCE_SECONDS) -> MirroredHost:
    """Connect to the repository's host."""
    if repository.host == Host.GITEE:
        return _gitee(patience)
    return _github(patience)


def _github(patience: float) -> MirroredHost:
    seconds = settings.GITHUB_TIMEOUT_SECONDS
    http = Http(seconds=seconds, agent=AGENT)
    return GitHub(
        GitHubClient(
            http=http,
            tokens=_tokens(http),
            meters=_meters(),
            api_url=settings.GITHUB_API_URL,
            graphql_url=settings.GITHUB_GRAPHQL_URL,
            patience=patience,
        )
    )


def _gitee(patience: float) -> MirroredHost:
    seconds = settings.GITEE_TIMEOUT_SECONDS
    return Gitee(
        GiteeClient(
            http=Http(seconds=seconds, agent=AGENT),
            tokens=GivenTokens(settings.GITEE_TOKENS, host="gitee"),
            meters=_meters(),
            api_url=settings.GITEE_API_URL,
            patience=patience,
        )
    )


def shared_memory() -> redis.Redis:
    """What all workers remember together, and can do without."""
    memory: redis.Redis = redis.Redis.from_url(
        settings.REDIS_URL, socket_connect_timeout=2, socket_timeout=5, retry=Retry(NoBackoff(), 1)
    )
    return memory


def _meters() -> SharedMeters:
    return SharedMeters(shared_memory(), alone=wait_for_turn)


def _tokens(http: Http) -> Tokens:
    if settings.GITHUB_APP_ID:
        return AppTokens(
            http=http,
            api_url=settings.GITHUB_API_URL,
            app_id=settings.GITHUB_APP_ID,
            private_key=settings.GITHUB_APP_PRIVATE_KEY,
            installation=settings.GITHUB_APP_INSTALLATION,
        )
    return GivenTokens(settings.GITHUB_TOKENS, host="github")


def may_ask_much() -> bool:
    """Is there a token or an app for GitHub? Without one it answers 60 requests an hour."""
    return bool(settings.GITHUB_TOKENS or settings.GITHUB_APP_ID)
