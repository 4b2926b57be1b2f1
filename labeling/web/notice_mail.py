"""The mail digest of notices: one mail a person and day, of what they have not been mailed yet; and invitations."""

import logging
import smtplib

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string

from labeling.selectors.invitations import address_of, to_mail
from labeling.selectors.notices import people_to_mail
from labeling.services.notices import take_for_mail
from labeling.services.people import take_for_mailing
from labeling.web.notice_texts import notice_text

logger = logging.getLogger(__name__)


def send_digests() -> int:
    """Mail what waits; returns how many mails were sent. Where the site sends none, the log says so, and all waits."""
    people = people_to_mail()
    if not settings.SENDS_MAIL:
        if people:
            logger.warning("Notices of %d people are not mailed: EMAIL_URL is not set.", len(people))
        return 0
    sent = 0
    for user_id in people:
        try:
            sent += _send_digest(user_id)
        except (smtplib.SMTPException, OSError):
            # The transaction is undone, so that the next digest has these notices.
            logger.exception("A digest of notices could not be sent.")
    return sent


def send_invitations() -> int:
    """Mail the addressed invitations that wait; returns how many mails were sent. The mail has no link to join by."""
    return sum(_send_invitation(invitation.pk) for invitation in to_mail()) if settings.SENDS_MAIL else 0


def _send_invitation(pk: int) -> bool:
    try:
        with transaction.atomic():
            invitation = take_for_mailing(pk=pk)
            address = address_of(invitation) if invitation else ""
            if not address:
                return False
            subject = f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}You are invited to a labeling project"
            context = {"invitation": invitation, "site": settings.SITE_URL.rstrip("/")}
            send_mail(subject, render_to_string("labeling/notices/invitation.txt", context), None, [address])
    except (smtplib.SMTPException, OSError):
        # The transaction is undone, so that it is tried again.
        logger.exception("An invitation could not be mailed.")
        return False
    return True


@transaction.atomic
def _send_digest(user_id: int) -> bool:
    """Send one person's digest; False where another process has it in hand."""
    notices = take_for_mail(user_id=user_id)
    if not notices:
        return False
    user = notices[0].member.user
    texts = [notice_text(notice) for notice in notices]
    context = {"texts": texts, "site": settings.SITE_URL.rstrip("/")}
    subject = f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}News of your labeling projects"
    send_mail(subject, render_to_string("labeling/notices/digest.txt", context), None, [user.email])
    return True
