"""The pseudonyms of members in releases: the same in all of a project's, without names or the order of joining.

Derived from a secret of the project (`ReleaseKey`), which `services.pseudonyms` makes.
"""

import hashlib
import hmac

from labeling.models import Member, ReleaseKey

PSEUDONYM_CHARACTERS = 8


def pseudonyms(*, project_id: int) -> dict[int, str]:
    """Member id -> pseudonym. Raises ReleaseKey.DoesNotExist while the project has no secret."""
    key = bytes.fromhex(ReleaseKey.objects.get(project=project_id).key)
    names: dict[int, str] = {}
    for pk in Member.objects.filter(project=project_id).order_by("pk").values_list("pk", flat=True):
        digest = hmac.new(key, str(pk).encode(), hashlib.sha256).hexdigest()
        # A common prefix is next to impossible; a longer one would then be unique.
        length = PSEUDONYM_CHARACTERS
        while f"person-{digest[:length]}" in names.values():
            length += 1
        names[pk] = f"person-{digest[:length]}"
    return names
