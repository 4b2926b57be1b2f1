"""Where members of labeling projects land when they log in."""

from django.contrib.auth.models import User
from django.urls import reverse

from labeling.selectors.invitations import shown_to
from labeling.selectors.landing import first_work
from labeling.selectors.team import memberships


def work_address(user: User) -> str:
    """Where the next ballot or dispute is one press away, else the person's projects and invitations, if any."""
    work = first_work(user=user)
    if work is None:
        return reverse("labeling:projects") if memberships(user=user) or shown_to(user=user) else ""
    if work.round is None:
        return reverse("labeling:adjudication", args=[work.project])
    return reverse("labeling:next", args=[work.project, work.round])
