"""Finding the repositories of many addresses, each looked up once."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from ingest.rejections import Reason, Rejection
from ingest.studies.mapping import FrameworkRule
from kb.addresses import RepositoryAddress
from kb.models import Repository
from kb.services.repositories import ensure_framework, ensure_repository, resolve_repository

MAX_REMEMBERED = 10_000


class RepositoryFinder:
    """Finds repositories by address; one that is new is created when a rule says which framework it belongs to."""

    def __init__(self, *, rules: Sequence[FrameworkRule] = ()) -> None:
        self._rules = rules
        self._found: dict[tuple[str, str], Repository | None] = {}

    def forget(self) -> None:
        """Look everything up anew: what a rolled-back transaction created is not there any more."""
        self._found.clear()

    def find(self, address: RepositoryAddress) -> Repository | None:
        """Return the repository, or None when nobody knows which framework it belongs to."""
        if address.key not in self._found:
            if len(self._found) >= MAX_REMEMBERED:
                self._found.clear()
            self._found[address.key] = self._look_up(address)
        return self._found[address.key]

    def _look_up(self, address: RepositoryAddress) -> Repository | None:
        url = f"https://{address.host}/{address.full_name}"
        if found := resolve_repository(url=url):
            return found
        name = f"{address.host}/{address.full_name}".lower()
        for rule in self._rules:
            if fnmatchcase(name, rule.match.lower()):
                framework = ensure_framework(slug=rule.slug, name=rule.name)
                return ensure_repository(url=url, framework=framework.slug)
        return None

    @staticmethod
    def unknown(address: RepositoryAddress, *, line: int) -> Rejection:
        """Say that nobody knows the repository, and what to do about it."""
        message = (
            f"unknown repository {address.full_name} on {address.host}: add it to kb/frameworks.yaml"
            " (for a study also under frameworks: in its mapping)"
        )
        return Rejection(line, Reason.UNKNOWN_REPOSITORY, message, f"{address.host}/{address.full_name}")
