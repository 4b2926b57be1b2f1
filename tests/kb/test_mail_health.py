"""Does mail leave? The check behind `manage.py doctor`, against servers that answer, refuse, and are not there."""

import json
import socket
import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import Settings

from kb.health.mail import FILES, SMTP, mail


class MailServer(socketserver.StreamRequestHandler):
    """As much of SMTP as a greeting and a log-in need; the right password is “right”."""

    def handle(self) -> None:
        self.say("220 here")
        for line in self.rfile:
            verb = line.split()[0].upper()
            if verb == b"EHLO":
                self.say("250-here")
                self.say("250 AUTH PLAIN")
            elif verb == b"AUTH":
                # “me” and “right” with a zero byte before each.
                self.say("235 welcome" if b"AG1lAHJpZ2h0" in line else "535 no")
            elif verb == b"QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 well")

    def say(self, words: str) -> None:
        self.wfile.write(f"{words}\r\n".encode())


@contextmanager
def server(handler: type[socketserver.StreamRequestHandler] = MailServer) -> Iterator[int]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as made:
        made.daemon_threads = True
        thread = threading.Thread(target=made.serve_forever, daemon=True)
        thread.start()
        try:
            yield made.server_address[1]
        finally:
            made.shutdown()


@pytest.fixture
def smtp(settings: Settings) -> Settings:
    settings.EMAIL_BACKEND = SMTP
    settings.EMAIL_HOST, settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "127.0.0.1", "", ""
    settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
    settings.DEFAULT_FROM_EMAIL = "Faultbook <noreply@faults.example.org>"
    settings.LOCAL = False
    return settings


def test_a_server_that_takes_mail(smtp: Settings) -> None:
    with server() as smtp.EMAIL_PORT:
        found = mail()
    assert found.ok, found.detail
    assert found.detail.endswith("takes mail, from Faultbook <noreply@faults.example.org>.")


@pytest.mark.parametrize(("password", "ok"), [("right", True), ("wrong", False)])
def test_name_and_password_are_tried_and_not_told(smtp: Settings, password: str, ok: bool) -> None:
    smtp.EMAIL_HOST_USER, smtp.EMAIL_HOST_PASSWORD = "me", password
    with server() as smtp.EMAIL_PORT:
        found = mail()
    assert found.ok is ok, found.detail
    assert password not in found.detail
    assert ok or "does not accept the name and password" in found.detail


def test_nobody_answers(smtp: Settings) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        smtp.EMAIL_PORT = taken.getsockname()[1]
        found = mail()
    assert not found.ok
    assert "takes no mail" in found.detail
    assert "EMAIL_URL" in found.fix


def test_a_server_that_says_nothing_is_not_waited_for(smtp: Settings) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        smtp.EMAIL_PORT = silent.getsockname()[1]
        started = time.monotonic()
        assert not mail().ok
        assert time.monotonic() - started < 10


@pytest.mark.parametrize("name", ["console", "locmem", "dummy"])
def test_what_is_only_written_down_is_well_on_ones_own_machine_alone(settings: Settings, name: str) -> None:
    settings.EMAIL_BACKEND = f"django.core.mail.backends.{name}.EmailBackend"
    settings.LOCAL = True
    assert mail().ok
    assert "Nothing is sent" in mail().detail
    settings.LOCAL = False
    assert not mail().ok
    assert "EMAIL_URL" in mail().fix


def test_a_local_run_says_in_which_folder_mails_are(settings: Settings, tmp_path: Path) -> None:
    settings.EMAIL_BACKEND, settings.LOCAL, settings.EMAIL_FILE_PATH = FILES, True, tmp_path / "not" / "yet"
    assert mail().ok
    assert str(tmp_path / "not" / "yet") in mail().detail
    (tmp_path / "file").write_text("")
    settings.EMAIL_FILE_PATH = tmp_path / "file"
    assert not mail().ok
    assert "cannot be written" in mail().detail


def test_a_backend_of_somebody_elses_is_named(settings: Settings) -> None:
    settings.EMAIL_BACKEND = "somebody.mail.Backend"
    assert mail().ok
    assert "somebody.mail.Backend" in mail().detail


@pytest.mark.django_db
def test_the_doctor_looks_at_it(smtp: Settings) -> None:
    out = StringIO()
    with server() as smtp.EMAIL_PORT:
        call_command("doctor", "--only", "mail", "--json", stdout=out)
    (check,) = json.loads(out.getvalue())["checks"]
    assert (check["name"], check["ok"]) == ("mail", True)
