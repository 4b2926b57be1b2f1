"""Whether mail leaves this installation: log-ins with an unproved address, lost passwords and invitations need it.

The server is asked whether it takes mail, with the name and password that are set; nothing is sent.
"""

import os
import smtplib
from collections.abc import Callable
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
    """Look whether mail can be sent; on one's own machine it is enough that it can be read somewhere."""
    looks: dict[str, Callable[[], Check]] = {SMTP: _server, FILES: _folder}
    return looks.get(settings.EMAIL_BACKEND, _elsewhere)()


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
    there = next(one for one in (folder, *folder.parents) if one.exists())
    if not (there.is_dir() and os.access(there, os.W_OK)):
        return Check(
            NAME, False, f"It is written into files in {folder}, which cannot be written.", "Let it be written."
        )
    return _not_sent(f"into files in {folder}")


def _elsewhere() -> Check:
    known = ELSEWHERE.get(settings.EMAIL_BACKEND)
    return _not_sent(known) if known else Check(NAME, True, f"Sent by {settings.EMAIL_BACKEND}; not looked at further.")


def _not_sent(where: str) -> Check:
    """On one's own machine that is how it should be; on a site, nobody would get their mail."""
    return Check(NAME, bool(settings.LOCAL), f"Nothing is sent: it is written {where}.", SEND)
