"""Makes the secret from which a project's pseudonyms in releases are derived (`selectors.pseudonyms`)."""

import secrets

from labeling.models import Project, ReleaseKey

KEY_BYTES = 32


def make_key(*, project: Project) -> None:
    """Make the project's secret, where it has none."""
    ReleaseKey.objects.get_or_create(project=project, defaults={"key": secrets.token_hex(KEY_BYTES)})
