"""Which host answers for a repository, connected as the settings say. Each call makes a connection of its own."""

from functools import partial

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from ingest.hosts import Host as MirroredHost
from ingest.hosts.asking.http import Http
from ingest.hosts.asking.meters import Meters
from ingest.hosts.asking.retries import Asker
from ingest.hosts.asking.tokens import GivenTokens, Tokens
from ingest.hosts.gitee.client import Client as GiteeClient
from ingest.hosts.gitee.host import Gitee
from ingest.hosts.github.client import Client as GitHubClient
from ingest.hosts.github.client import says_limited
from ingest.hosts.github.host import GitHub
from ingest.hosts.github.tokens import AppTokens
from kb.models import Host, Repository
from kb.services.locks import session_lock

AGENT = "Faultbook (issue mirror)"
# A wait for the host's limit that is no longer is sat out; a longer one ends the run.
PATIENCE_SECONDS = 15.0


def connect(*, repository: Repository, patience: float = PATIENCE_SECONDS) -> MirroredHost:
    """Connect to the repository's host."""
    meters = Meters(shared_memory(), lock=partial(session_lock, wait_seconds=None))
    if repository.host == Host.GITEE:
        http = Http(seconds=settings.GITEE_TIMEOUT_SECONDS, agent=AGENT)
        tokens = GivenTokens(settings.GITEE_TOKENS, host="gitee")
        asker = Asker(name="Gitee", http=http, tokens=tokens, meters=meters, patience=patience)
        return Gitee(GiteeClient(asker, api_url=settings.GITEE_API_URL))
    http = Http(seconds=settings.GITHUB_TIMEOUT_SECONDS, agent=AGENT)
    asker = Asker(
        name="GitHub", http=http, tokens=_github_tokens(http), meters=meters, patience=patience, is_limit=says_limited
    )
    return GitHub(GitHubClient(asker, api_url=settings.GITHUB_API_URL, graphql_url=settings.GITHUB_GRAPHQL_URL))


def _github_tokens(http: Http) -> Tokens:
    if not settings.GITHUB_APP_ID:
        return GivenTokens(settings.GITHUB_TOKENS, host="github")
    return AppTokens(
        http=http,
        api_url=settings.GITHUB_API_URL,
        app_id=settings.GITHUB_APP_ID,
        private_key=settings.GITHUB_APP_PRIVATE_KEY,
        installation=settings.GITHUB_APP_INSTALLATION,
    )


def shared_memory() -> redis.Redis:
    """What all workers remember together, and can do without."""
    memory: redis.Redis = redis.Redis.from_url(
        settings.REDIS_URL, socket_connect_timeout=2, socket_timeout=5, retry=Retry(NoBackoff(), 1)
    )
    return memory


def may_ask_much() -> bool:
    """Return whether there is a token or an app for GitHub; without one it answers 60 requests an hour."""
    return bool(settings.GITHUB_TOKENS or settings.GITHUB_APP_ID)
