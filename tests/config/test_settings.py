"""The settings as production has them, read in a process of their own."""

import os
import subprocess
import sys
from pathlib import Path

import environ
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client, override_settings

from config import api, database
from config.embedded.layout import ROOT

PRODUCTION = {
    "SECRET_KEY": "q7Xn2Lk9Rw4Zp8Vt3Yc6Bm1Hs5Jd0Gf-Ae_UiOoKkPrTtWwSsDdQq",
    "ALLOWED_HOSTS": "faults.example.org",
    "CSRF_TRUSTED_ORIGINS": "https://faults.example.org",
    "SITE_URL": "https://faults.example.org",
    "LOCAL": "",
    "DEBUG": "",
    "STATIC_STORAGE": "whitenoise.storage.CompressedManifestStaticFilesStorage",
}


def python(*arguments: str, **change: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", **PRODUCTION, **change}
    env.pop("DJANGO_ALLOW_ASYNC_UNSAFE", None)  # the browser tests set it in this process
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=60)


def settings_of(program: str, **change: str) -> subprocess.CompletedProcess[str]:
    """What a program prints of the settings `s`; no app starts for it, which takes three times as long."""
    return python("-c", f"from django.conf import settings as s; {program}", **change)


def test_djangos_deployment_checks_find_nothing() -> None:
    done = python("manage.py", "check", "--deploy", "--fail-level", "INFO")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no issues" in done.stdout


@pytest.mark.parametrize(("change", "expected"), [({}, "True"), ({"LOCAL": "1"}, "False")])
def test_only_a_local_run_goes_without_https(change: dict[str, str], expected: str) -> None:
    names = ("SECURE_SSL_REDIRECT", "SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE")
    program = f"print({{getattr(s, n, False) for n in {names}}})"
    done = settings_of(program, **change)
    assert done.stdout.strip() == f"{{{expected}}}", done.stderr


def test_no_other_name_of_the_domain_can_set_the_cookies() -> None:
    done = settings_of("print(s.SESSION_COOKIE_NAME, s.CSRF_COOKIE_NAME)")
    assert done.stdout.split() == ["__Host-sessionid", "__Host-csrftoken"], done.stderr


@pytest.mark.drill("HSTS is off until asked for")
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, "0 False False"),
        ({"HSTS_SECONDS": "60"}, "60 False False"),
        ({"HSTS_SECONDS": "60", "HSTS_SUBDOMAINS": "1", "HSTS_PRELOAD": "1"}, "60 True True"),
    ],
)
def test_browsers_are_held_to_https_only_as_far_as_asked_for(change: dict[str, str], expected: str) -> None:
    program = "print(s.SECURE_HSTS_SECONDS, s.SECURE_HSTS_INCLUDE_SUBDOMAINS, s.SECURE_HSTS_PRELOAD)"
    done = settings_of(program, **change)
    assert done.stdout.strip() == expected, done.stderr


@pytest.mark.parametrize(
    ("wanted", "header"),
    [
        ((0, False, False), None),
        ((60, False, False), "max-age=60"),
        ((60, True, True), "max-age=60; includeSubDomains; preload"),
    ],
)
def test_the_answers_say_so(client: Client, wanted: tuple[int, bool, bool], header: str | None) -> None:
    names = ("SECURE_HSTS_SECONDS", "SECURE_HSTS_INCLUDE_SUBDOMAINS", "SECURE_HSTS_PRELOAD")
    with override_settings(**dict(zip(names, wanted, strict=True))):
        assert client.get("/healthz", secure=True).headers.get("Strict-Transport-Security") == header


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, "smtp localhost 25"),
        ({"EMAIL_URL": "smtp+tls://me:a%2Fb@mail.example.org:587"}, "smtp mail.example.org 587 me a/b True"),
        ({"EMAIL_URL": "consolemail:", "LOCAL": "1"}, "console"),
        ({"LOCAL": "1"}, "filebased"),
    ],
)
def test_mail_goes_where_the_address_says(change: dict[str, str], expected: str) -> None:
    program = (
        "print(s.EMAIL_BACKEND.split('.')[-2], s.EMAIL_HOST or '',"
        "s.EMAIL_PORT or '', s.EMAIL_HOST_USER or '', s.EMAIL_HOST_PASSWORD or '', s.EMAIL_USE_TLS or '')"
    )
    done = settings_of(program, **change)
    assert done.stdout.split() == expected.split(), done.stderr


@pytest.mark.parametrize(
    ("asked", "expected"), [("", "5 20000 10"), ("?tcp_user_timeout=0&keepalives_idle=60", "5 0 60")]
)
def test_nobody_waits_for_a_silent_database_unless_its_address_says_so(asked: str, expected: str) -> None:
    program = (
        "options = s.DATABASES['default']['OPTIONS']; "
        "print(options['connect_timeout'], options['tcp_user_timeout'], options['keepalives_idle'])"
    )
    done = settings_of(program, DATABASE_URL=f"postgres://me@db.example.org/faults{asked}")
    assert done.stdout.strip() == expected, done.stderr


def test_what_was_left_empty_is_read_from_the_running_servers(tmp_path: Path) -> None:
    (tmp_path / "run.env").write_text(
        "SECRET_KEY=of-the-run\nDATABASE_URL=postgres://somebody@/running\nREDIS_URL=redis://127.0.0.1:1/0\n"
    )
    empty = dict.fromkeys(("SECRET_KEY", "DATABASE_URL", "REDIS_URL"), "")
    program = "print(s.SECRET_KEY, s.DATABASES['default']['NAME'], s.REDIS_URL)"
    done = settings_of(program, FAULTBOOK_DATA=str(tmp_path), LOCAL="1", **empty)
    assert done.stdout.split() == ["of-the-run", "running", "redis://127.0.0.1:1/0"], done.stderr


def test_a_setting_that_is_missing_is_named_in_a_sentence(tmp_path: Path) -> None:
    done = python("manage.py", "check", SECRET_KEY="", DATABASE_URL="", FAULTBOOK_DATA=str(tmp_path))
    assert done.returncode == 1
    assert "SECRET_KEY" in done.stderr
    assert "make up" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("named", "expected"), [("~/kept", "/somewhere/kept"), ("", f"{ROOT}/.data")])
def test_the_data_folder_is_the_one_that_make_up_takes(named: str, expected: str) -> None:
    done = settings_of("print(s.DATA_DIR)", FAULTBOOK_DATA=named, HOME="/somewhere")
    assert done.stdout.strip() == expected, done.stderr


@pytest.mark.parametrize("name", ["API_RATE", "SEARCH_RATE", "DIAGNOSIS_RATE"])
@pytest.mark.parametrize("rate", ["600", "600/", "many/min", "600/year", "-1/min"])
def test_a_rate_that_nobody_understands_is_refused_at_the_start(
    monkeypatch: pytest.MonkeyPatch, name: str, rate: str
) -> None:
    monkeypatch.setenv(name, rate)
    with pytest.raises(ImproperlyConfigured, match=rate):
        api.rest_framework(environ.Env(), proxies=0)


def test_a_pooler_by_transaction_gets_no_cursors_and_an_unknown_one_is_refused() -> None:
    address = {"NAME": "faultbook", "OPTIONS": {"keepalives_idle": 60}}
    assert database.settings(address, "")["DISABLE_SERVER_SIDE_CURSORS"] is False
    pooled = database.settings(address, "transaction")
    assert pooled["DISABLE_SERVER_SIDE_CURSORS"] is True
    assert pooled["OPTIONS"]["keepalives_idle"] == 60
    with pytest.raises(ImproperlyConfigured, match="DATABASE_POOL is “statement”"):
        database.settings(address, "statement")
