"""The first account of a local site is staff, so that a team starts at once. Elsewhere a command makes staff."""

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Exists


def make_first_staff(user: User) -> bool:
    """Make a new account a superuser if the site is local (`LOCAL`) and nobody is staff. Returns whether it did."""
    if not settings.LOCAL:
        return False
    staff = User.objects.filter(is_staff=True, is_active=True)
    updated = User.objects.filter(~Exists(staff), pk=user.pk).update(is_staff=True, is_superuser=True)
    if updated:
        user.refresh_from_db()
    return bool(updated)
