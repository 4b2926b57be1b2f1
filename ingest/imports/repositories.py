"""Finding the repositories of many addresses without a query for each."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from ingest.imports.studies.mapping import FrameworkRule
from ingest.rejections import Reason, Rejection
from kb.core.addresses import RepositoryAddress
from kb.models import Repository
from kb.services.repositories import ensure_framework, ensure_repository, known_repositories


class RepositoryFinder:
    """Finds repositories by address; one that is new is created when a rule says which framework it belongs to."""

    def __init__(self, *, rules: Sequence[FrameworkRule] = ()) -> None:
        self._rules = rules
        self.refresh()

    def refresh(self) -> None:
        """Look everything up anew: what a rolled-back transaction created is not there any more."""
        self._known = known_repositories()

    def find(self, address: RepositoryAddress) -> Repository | None:
        """Return the repository, or None when nobody knows which framework it belongs to."""
        repository = self._known.find(address.key)
        if repository is not None:
            return repository
        for rule in self._rules:
            if fnmatchcase("/".join(address.key), rule.match.lower()):
                framework = ensure_framework(slug=rule.slug, name=rule.name)
                url = f"https://{address.host}/{address.full_name}"
                repository = ensure_repository(url=url, framework=framework.slug)
                self._known.current[address.key] = repository
                return repository
        return None

    @staticmethod
    def unknown(address: RepositoryAddress, *, line: int) -> Rejection:
        """Say that nobody knows the repository, and what to do about it."""
        message = (
            f"unknown repository {address.full_name} on {address.host}: add it to kb/core/frameworks.yaml"
            " (for a study also under frameworks: in its mapping)"
        )
        return Rejection(line, Reason.UNKNOWN_REPOSITORY, message, f"{address.host}/{address.full_name}")
