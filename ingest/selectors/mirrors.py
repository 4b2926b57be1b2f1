"""Finding mirrors."""

from ingest.models import Mirror
from kb.services.repositories import resolve_repository


def find_mirror(*, url: str) -> Mirror | None:
    """Return the mirror of the repository at an address. Raises `kb.core.addresses.BadAddressError`."""
    repository = resolve_repository(url=url)
    return Mirror.objects.select_related("repository", "keywords").filter(repository=repository).first()
