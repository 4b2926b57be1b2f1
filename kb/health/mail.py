"""Health check of outgoing mail, which confirming addresses, resetting passwords and invitations need.

It connects and logs in to the mail server; nothing is sent.
"""

import os
import smtplib
from pathlib import Path

from django.conf import settings
from django.core.mail import get_connection
from django.core.mail.backends.smtp import EmailBackend

from kb.health.checks import CONNECT_SECONDS, Check, first_line

NAME = "mail"
SMTP = "django.core.mail.backends.smtp.EmailBackend"
FILES = "django.core.mail.backends.filebased.EmailBackend"
ELSEWHERE = {
    "django.core.mail.backends.console.EmailBackend": "into the log",
    "django.core.mail.backends.locmem.EmailBackend": "into this process's memory",
    "django.core.mail.backends.dummy.EmailBackend": "nowhere",
}
SEND = "Set EMAIL_URL to a server that sends mail, as docs/configuration.md says."


def mail() -> Check:
    """Mail can be sent; with LOCAL it is enough that it can be read somewhere."""
    backend = settings.EMAIL_BACKEND
    if backend == SMTP:
        return _server()
    if backend == FILES:
        return _folder()
    if backend in ELSEWHERE:
        return _not_sent(ELSEWHERE[backend])
    return Check(NAME, True, f"Sent by {backend}; not looked at further.")


def _server() -> Check:
    place = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
    connection = get_connection(timeout=CONNECT_SECONDS)
    assert isinstance(connection, EmailBackend)  # noqa: S101 this backend's own class
    try:
        connection.open()
    except smtplib.SMTPAuthenticationError:
        return Check(NAME, False, f"{place} does not accept the name and password.", "Correct them in EMAIL_URL.")
    except (smtplib.SMTPException, OSError) as error:
        return Check(NAME, False, f"{place} takes no mail: {first_line(error)}", f"Start it. Else: {SEND}")
    finally:
        connection.close()
    return Check(NAME, True, f"{place} takes mail, from {settings.DEFAULT_FROM_EMAIL}.")


def _folder() -> Check:
    folder = Path(str(settings.EMAIL_FILE_PATH))
    existing = folder
    while not existing.exists():
        existing = existing.parent
    if not (existing.is_dir() and os.access(existing, os.W_OK)):
        return Check(
            NAME, False, f"It is written into files in {folder}, which cannot be written.", "Let it be written."
        )
    return _not_sent(f"into files in {folder}")


def _not_sent(where: str) -> Check:
    """Fine with LOCAL; on a site nobody would get their mail."""
    return Check(NAME, bool(settings.LOCAL), f"Nothing is sent: it is written {where}.", SEND)
