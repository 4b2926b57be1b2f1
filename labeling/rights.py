"""Rights that staff give an account for the whole site. The permissions of roles in a project are in the services.

A superuser has them all. `manage.py allow` and the admin's page of a user give them.
"""

from enum import StrEnum

from django.contrib.auth.models import User

from labeling.refusals import RefusedError


class Right(StrEnum):
    """A permission of `labeling.Project`, by its codename."""

    FOUND = "found_project"
    INVITE = "invite_newcomers"
    PUBLISH = "publish_project"
    OVERSEE = "oversee_projects"


REFUSALS = {
    Right.FOUND: "Only people approved by this site's staff can found projects. Ask them.",
    Right.INVITE: "Only people approved by this site's staff can invite people without an account. Ask them.",
    Right.PUBLISH: "Only people approved by this site's staff can publish into the knowledge base. Ask them.",
    Right.OVERSEE: "Only the site's staff can do this.",
}


def has_right(user: User, right: Right) -> bool:
    """Whether the account has this right; a closed account has none."""
    return user.has_perm(f"labeling.{right}")


def require_right(user: User, right: Right) -> None:
    """Raises RefusedError where the account does not have this right."""
    if not has_right(user, right):
        raise RefusedError(REFUSALS[right])
