"""The address that logging in leads to when work, or an invitation, waits for the person."""

from django.contrib.auth.models import User
from django.urls import reverse

from labeling.selectors.invitations import shown_to
from labeling.selectors.landing import first_work


def work_address(user: User) -> str:
    """Where the person's next ballot or dispute is one press away, or their invitations; empty where nothing waits."""
    work = first_work(user=user)
    if work is None:
        return reverse("labeling:projects") if shown_to(user=user) else ""
    if work.round is None:
        return reverse("labeling:adjudication", args=[work.project])
    return reverse("labeling:next", args=[work.project, work.round])
