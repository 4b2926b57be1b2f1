"""People with accounts: made, logged in by the real page, and their phones' codes."""

import base64
import hmac
import re
import struct
import time
from urllib.parse import urlsplit

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.http.response import HttpResponseBase
from django.test import Client

from tests.kb.web.reading import read

PASSWORD = "seven lamps in a row"


def make_user(name: str = "ada", *, verified: bool = True, **fields: bool) -> User:
    """Somebody with a password and an address, confirmed unless said otherwise."""
    user = User.objects.create_user(name, f"{name}@example.org", PASSWORD, **fields)
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=verified)
    return user


def log_in(client: Client, name: str = "ada", password: str = PASSWORD, **more: str) -> HttpResponseBase:
    """Send the log-in form."""
    return client.post("/account/login/", {"login": name, "password": password, **more})


def logged_in(name: str = "ada") -> Client:
    """A browser of its own in which somebody has logged in."""
    client = Client()
    assert log_in(client, name).status_code == 302
    return client


def is_in(client: Client) -> bool:
    """Say whether the browser gets to see the account page."""
    return client.get("/account/").status_code == 200


def confirm_password(client: Client, path: str) -> None:
    """Open a page that asks for the password once more, and give it."""
    asked = client.get(path)
    assert asked.status_code == 302
    assert asked.headers["Location"].startswith("/account/reauthenticate/")
    assert client.post(asked.headers["Location"], {"password": PASSWORD}).headers["Location"] == path


def totp(secret: str) -> str:
    """The code that an app shows now (RFC 6238: SHA-1, 30 seconds, 6 digits)."""
    digest = hmac.digest(base64.b32decode(secret), struct.pack(">Q", int(time.time()) // 30), "sha1")
    start = digest[-1] & 15
    (number,) = struct.unpack(">I", digest[start : start + 4])
    return f"{(number & 0x7FFFFFFF) % 1_000_000:06}"


def mailed_path(number: int = -1) -> str:
    """The path of the link in a mail."""
    found = re.search(r"https?://\S+", str(mail.outbox[number].body))
    assert found
    return urlsplit(found.group()).path


def is_framed(response: HttpResponseBase) -> bool:
    """Is it a page of Faultbook's: its head, one heading, its sheet, nothing inline?"""
    html = b"".join(response).decode()
    parts = ('<header class="site-header">', "css/account.css", '<a class="brand"', 'content="noindex"')
    return all(part in html for part in parts) and html.count("<h1") == 1 and not read(response).inline
