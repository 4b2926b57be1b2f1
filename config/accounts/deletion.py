"""Deletes an account at its owner's wish. What they labelled stays, under their pseudonyms; what names them goes.

The row of the account stays, empty and closed: votes hang on it, and Postgres keeps them for ever.
"""

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.db import transaction
from django.utils.crypto import get_random_string

from config.accounts.models import ApiToken
from kb.diagnose.account_deletion import forget_person
from kb.services.priorities import Person, withdraw_answer
from labeling.refusals import RefusedError
from labeling.services.people import leave_for_good


@transaction.atomic
def delete_account(*, user: User) -> None:
    """Delete everything that names the person, and close the account for ever.

    Raises RefusedError for the last lead of a project and the last of the site's staff.
    """
    if user.is_staff:
        _require_other_staff(user)
    leave_for_good(user=user)
    withdraw_answer(person=Person(user_id=user.pk))
    forget_person(user=user)
    placeholder = f"deleted-{get_random_string(12).lower()}"
    _rename_in_admin_log(user, placeholder)
    sessions = UserSession.objects.filter(user=user)
    Session.objects.filter(session_key__in=sessions.values("session_key")).delete()
    for model in (ApiToken, UserSession, EmailAddress, Authenticator, SocialAccount):
        model.objects.filter(user=user).delete()
    user.groups.clear()
    user.user_permissions.clear()
    user.username, user.email, user.first_name, user.last_name = placeholder, "", "", ""
    user.is_active = user.is_staff = user.is_superuser = False
    # Also ends sessions that have no UserSession.
    user.set_unusable_password()
    user.save()


def _require_other_staff(user: User) -> None:
    # Locked, so that the last two cannot leave at the same moment.
    staff = User.objects.select_for_update().filter(is_staff=True, is_active=True).order_by("pk")
    others = [other for other in staff if other.pk != user.pk and other.is_superuser >= user.is_superuser]
    if not others:
        raise RefusedError("Nobody else could run this site. Make somebody else a superuser first, in the admin.")


def _rename_in_admin_log(user: User, name: str) -> None:
    address_ids = EmailAddress.objects.filter(user=user).values_list("pk", flat=True)
    for model, ids in ((User, [user.pk]), (EmailAddress, address_ids)):
        entries = LogEntry.objects.filter(content_type=ContentType.objects.get_for_model(model))
        entries.filter(object_id__in=[str(pk) for pk in ids]).update(object_repr=name)
