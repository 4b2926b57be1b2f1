"""The mail digest of notices: one mail a person and day, of what they have not been mailed yet."""

import logging
import smtplib

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string

from labeling.selectors.notices import people_to_mail
from labeling.services.notices import take_for_mail
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
