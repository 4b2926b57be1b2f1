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
    Right.FOUND: "Only people whom this site's staff allow can found projects. Ask them.",
    Right.INVITE: "Only people whom this site's staff allow can invite somebody who has no account. Ask them.",
    Right.PUBLISH: "Only people whom this site's staff allow can publish into the knowledge base. Ask them.",
    Right.OVERSEE: "This is for the site's staff.",
}


def has_right(user: User, right: Right) -> bool:
    """Whether the account has this right; a closed account has none."""
    return user.has_perm(f"labeling.{right}")


def require_right(user: User, right: Right) -> None:
    """Raises RefusedError where the account does not have this right."""
    if not has_right(user, right):
        raise RefusedError(REFUSALS[right])
