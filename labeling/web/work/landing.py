"""The address that logging in leads to when work waits for the person."""

from django.contrib.auth.models import User
from django.urls import reverse

from labeling.selectors.landing import first_work


def work_address(user: User) -> str:
    """Where the person's next ballot or dispute is one press away; empty where nothing waits for them."""
    work = first_work(user=user)
    if work is None:
        return ""
    if work.round is None:
        return reverse("labeling:adjudication", args=[work.project])
    return reverse("labeling:next", args=[work.project, work.round])
