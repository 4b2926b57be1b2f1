"""The checks behind `manage.py doctor` and /readyz: what they see, whatever is down, and what they tell strangers."""

import datetime as dt
import json
import time
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, OperationalError, connection, connections
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from kb import tasks
from kb.health import checks as health
from kb.health.diagnoses import diagnoser
from kb.health.heartbeat import KEY, STALE_SECONDS, record_heartbeat
from kb.models import DiagnosisJob, SearchBuild, SearchChange, SearchHost
from kb.search import health as search
from kb.search import hosts
from kb.search.indexer import Indexer
from kb.web.health import readiness
from tests.support.factories import make_issue

CLOSED = "redis://127.0.0.1:1/0"
STRONG = "q7Xn2Lk9Rw4Zp8Vt3Yc6Bm1Hs5Jd0Gf-Ae_UiOoKkPrTtWwSsDdQq"


@pytest.fixture(autouse=True)
def _look_again() -> None:
    readiness.forget()


@pytest.fixture
def _no_database() -> object:
    refuse = patch.object(
        connections[DEFAULT_DB_ALIAS], "ensure_connection", side_effect=OperationalError("refused\n?")
    )
    with refuse, patch.object(connections[DEFAULT_DB_ALIAS], "cursor", side_effect=OperationalError("refused\n?")):
        yield


@pytest.mark.django_db
class TestDiagnoser:
    def test_nothing_waits(self) -> None:
        assert diagnoser().ok

    def test_a_log_waits_and_nobody_reads_one(self) -> None:
        self.job(sent=dt.timedelta(minutes=1))
        assert diagnoser().ok
        self.job(sent=dt.timedelta(minutes=10))
        found = diagnoser()
        assert not found.ok
        assert found.detail == "2 logs wait to be read, the first sent 10 minutes ago."
        assert "--queues diagnoses" in found.fix

    def test_a_log_waits_for_another(self) -> None:
        self.job(sent=dt.timedelta(minutes=10))
        self.job(sent=dt.timedelta(minutes=12), state="working")
        assert diagnoser().ok

    @pytest.mark.usefixtures("_no_database")
    def test_no_database(self) -> None:
        assert not diagnoser().ok

    def job(self, *, sent: dt.timedelta, state: str = "waiting") -> None:
        now = timezone.now()
        DiagnosisJob.objects.create(
            state=state, bytes_given=1, created_at=now - sent, expires_at=now + dt.timedelta(hours=1)
        )


@pytest.mark.django_db
class TestDatabase:
    def test_well(self) -> None:
        assert health.database().ok
        assert health.database().detail.startswith("PostgreSQL ")
        assert health.extensions().ok
        assert health.migrations().ok

    def test_a_missing_extension_is_named(self) -> None:
        with patch.object(health, "EXTENSIONS", ("pg_trgm", "unheard_of")):
            found = health.extensions()
        assert not found.ok
        assert "unheard_of" in found.detail
        assert "pg_trgm" not in found.detail

    def test_a_pending_migration_is_named(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT max(name) FROM django_migrations WHERE app = 'kb'")
            ((name,),) = cursor.fetchall()
            cursor.execute("DELETE FROM django_migrations WHERE app = 'kb' AND name = %s", [name])
        found = health.migrations()
        assert not found.ok
        assert f"kb.{name}" in found.detail

    @pytest.mark.usefixtures("_no_database")
    def test_down(self) -> None:
        assert [check().ok for check in (health.database, health.extensions, health.migrations)] == [False] * 3
        assert health.database().detail == "It does not answer: refused."


class TestBrokerAndProcesses:
    def test_well(self) -> None:
        record_heartbeat(sent_at=time.time())
        assert [check().ok for check in (health.broker, health.worker, health.beat)] == [True] * 3
        assert health.worker().detail == "Last heard from just now."

    def test_the_task_writes_down_what_beat_sent(self) -> None:
        tasks.record_heartbeat(1000.0)
        kept = cache.get(KEY)
        assert kept["beat"] == 1000.0
        assert kept["worker"] == pytest.approx(time.time(), abs=5)

    def test_nothing_heard_yet(self) -> None:
        assert not health.worker().ok
        assert "ever" in health.worker().detail
        assert not health.beat().ok

    def test_an_old_sign_of_life_is_none(self) -> None:
        cache.set(KEY, {"beat": time.time() - 7300, "worker": time.time() - 7300})
        assert not health.worker().ok
        assert health.worker().detail == "Last heard from 2 hours ago."
        assert health.beat().fix == "Fix the worker first."

    def test_beat_is_judged_by_when_it_sent(self) -> None:
        record_heartbeat(sent_at=time.time() - STALE_SECONDS - 1)
        assert health.worker().ok
        assert not health.beat().ok
        assert "only one" in health.beat().fix

    def test_down(self, settings: Settings) -> None:
        settings.REDIS_URL = CLOSED
        settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": CLOSED}}
        started = time.monotonic()
        assert [check().ok for check in (health.broker, health.worker, health.beat)] == [False] * 3
        assert time.monotonic() - started < 2


class TestSettings:
    def test_room_on_the_disk(self, settings: Settings, tmp_path: Path) -> None:
        settings.DATA_DIR = tmp_path / "not" / "there" / "yet"
        with patch.object(health, "FREE_BYTES", 1):
            assert health.disk().ok
        with patch.object(health, "FREE_BYTES", 10**18):
            assert not health.disk().ok

    @pytest.mark.parametrize("key", ["short", "a" * 60, "django-insecure-" + STRONG])
    def test_a_secret_that_is_guessed(self, settings: Settings, key: str) -> None:
        settings.SECRET_KEY = key
        assert not health.secret_key().ok
        settings.SECRET_KEY = STRONG
        assert health.secret_key().ok

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({}, ""),
            ({"DEBUG": True}, "DEBUG is on"),
            ({"WEBHOOKS_LOCAL": True}, "WEBHOOKS_LOCAL is on"),
            ({"ALLOWED_HOSTS": []}, "ALLOWED_HOSTS is empty"),
            ({"ALLOWED_HOSTS": ["*"]}, "any host name is believed"),
            ({"ALLOWED_HOSTS": ["other.example"]}, "not in ALLOWED_HOSTS"),
            ({"ALLOWED_HOSTS": [".example.org"]}, ""),
            ({"SITE_URL": "http://faults.example.org"}, "not an https address"),
            ({"SITE_URL": ""}, "not an https address"),
            ({"CSRF_TRUSTED_ORIGINS": ["http://faults.example.org"]}, "without https"),
            ({"LOCAL": True}, "LOCAL is set"),
        ],
    )
    def test_addresses_that_do_not_fit(self, settings: Settings, change: dict[str, object], words: str) -> None:
        good = {
            "LOCAL": False,
            "DEBUG": False,
            "ALLOWED_HOSTS": ["faults.example.org"],
            "SITE_URL": "https://faults.example.org",
            "CSRF_TRUSTED_ORIGINS": ["https://faults.example.org"],
        }
        for name, value in {**good, **change}.items():
            setattr(settings, name, value)
        found = health.origins()
        assert found.ok == (not words)
        assert words in found.detail

    def test_static_files(self, settings: Settings, tmp_path: Path) -> None:
        assert health.static_files().ok
        settings.STATIC_ROOT = tmp_path
        backend = {"BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"}
        (tmp_path / "staticfiles.json").write_text('{"version": "1.1", "hash": "", "paths": {}}')
        settings.STORAGES = {**settings.STORAGES, "staticfiles": backend}
        assert health.static_files().detail == "Collected."
        (tmp_path / "staticfiles.json").unlink()
        assert not health.static_files().ok


@pytest.fixture
def _own_index(settings: Settings, tmp_path: Path) -> None:
    settings.SEARCH_ENGINE = "tantivy"
    settings.SEARCH_INDEX_DIR = tmp_path / "search"


@pytest.mark.django_db
@pytest.mark.usefixtures("_own_index")
class TestSearch:
    def test_well(self) -> None:
        make_issue()
        assert Indexer().run_once()
        assert search.indexer().detail.endswith(" Nothing waits.")
        assert search.index().detail == "1 issues."
        assert search.indexer().ok
        assert search.index().ok

    def test_nothing_was_ever_there(self) -> None:
        assert not search.indexer().ok
        assert "ever" in search.indexer().detail
        assert not search.index().ok
        assert "`manage.py reindex`" in search.index().fix

    def test_a_silent_indexer(self) -> None:
        Indexer().run_once()
        SearchHost.objects.update(seen_at=timezone.now() - dt.timedelta(hours=2))
        assert search.indexer().detail == "Last heard from 2 hours ago."
        assert "run_indexer" in search.indexer().fix

    def test_an_indexer_with_a_problem(self) -> None:
        Indexer().run_once()
        SearchHost.objects.update(problem="The disk is full.")
        assert (search.indexer().ok, search.indexer().detail) == (False, "The disk is full.")

    def test_changes_that_wait(self) -> None:
        Indexer().run_once()
        make_issue()
        assert search.indexer().ok
        assert "1 change wait" in search.indexer().detail
        assert search.index().ok
        SearchChange.objects.update(changed_at=timezone.now() - dt.timedelta(minutes=3))
        assert not search.indexer().ok
        assert "3 minutes ago" in search.indexer().detail

    def test_an_index_that_lacks_issues(self) -> None:
        Indexer().run_once()
        make_issue()
        SearchChange.objects.all().delete()
        assert search.index().detail == "It holds 0 issues, and there are 1."
        assert "--fresh" in search.index().fix

    def test_a_rebuild_under_way(self) -> None:
        SearchBuild.objects.create(host=hosts.own(), reason="test", done=1_000, total=5_000)
        assert "1,000 of 5,000" in search.index().detail

    def test_an_engine_that_needs_no_index(self, settings: Settings) -> None:
        settings.SEARCH_ENGINE = "postgres"
        assert search.index().ok

    @pytest.mark.usefixtures("_no_database")
    def test_no_database(self) -> None:
        assert [check.ok for check in search.search_checks()] == [False, False]


@pytest.mark.django_db
@pytest.mark.usefixtures("_own_index")
class TestDoctor:
    def test_it_says_what_is_wrong_and_how_to_mend_it(self) -> None:
        out = StringIO()
        with pytest.raises(SystemExit) as ended:
            call_command("doctor", stdout=out)
        assert ended.value.code == 1
        assert "well   database" in out.getvalue()
        assert "WRONG  worker" in out.getvalue()
        assert "Fix: Start one" in out.getvalue()

    def test_well(self, settings: Settings) -> None:
        settings.SECRET_KEY = STRONG
        record_heartbeat(sent_at=time.time())
        Indexer().run_once()
        out = StringIO()
        call_command("doctor", "--json", stdout=out)
        found = json.loads(out.getvalue())
        assert found["ok"], found
        assert {check["fix"] for check in found["checks"]} == {""}

    @pytest.mark.usefixtures("_no_database")
    def test_it_speaks_when_everything_is_down(self, settings: Settings) -> None:
        settings.REDIS_URL = CLOSED
        settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": CLOSED}}
        out = StringIO()
        with pytest.raises(SystemExit):
            call_command("doctor", "--json", stdout=out)
        wrong = [check["name"] for check in json.loads(out.getvalue())["checks"] if not check["ok"]]
        assert wrong[:7] == ["database", "pool", "extensions", "migrations", "broker", "worker", "beat"]


class TestAddresses:
    def test_alive_without_a_database(self, client: Client) -> None:
        assert client.get("/healthz").content == b"ok\n"
        assert client.post("/healthz").status_code == 405

    @pytest.mark.django_db
    def test_ready(self, client: Client) -> None:
        answer = client.get("/readyz")
        assert answer.status_code == 200
        must = {"database": "ok", "broker": "ok", "migrations": "ok"}
        assert answer.json() == {"ready": True, "checks": {**must, "search index": "failing"}}
        assert "no-cache" in answer["Cache-Control"]

    @pytest.mark.django_db
    @pytest.mark.usefixtures("_own_index")
    def test_this_hosts_index_is_told(self, client: Client) -> None:
        """The database answers searches without it, so that the host is ready all the same."""
        Indexer().run_once()
        assert client.get("/readyz").json()["checks"]["search index"] == "ok"
        SearchHost.objects.update(position=5, settled=5)
        readiness.forget()
        answer = client.get("/readyz")
        assert (answer.status_code, answer.json()["checks"]["search index"]) == (200, "failing")
        assert not search.index().ok

    @pytest.mark.usefixtures("_no_database")
    def test_not_ready_and_no_word_to_strangers_on_why(self, client: Client) -> None:
        answer = client.get("/readyz")
        assert answer.status_code == 503
        assert answer.json()["checks"]["database"] == "failing"
        assert b"refused" not in answer.content

    @pytest.mark.django_db
    def test_many_questions_are_one_look(self, client: Client) -> None:
        with patch("kb.web.health.ready_checks", side_effect=health.ready_checks) as look:
            assert [client.get("/readyz").status_code for _ in range(5)] == [200] * 5
        assert look.call_count == 1


@pytest.mark.django_db
@pytest.mark.usefixtures("_own_index")
class TestOtherRowsInTheSameTables:
    """As after a restore of the data alone, which wakes no trigger."""

    def test_as_many_issues_with_other_addresses_are_noticed(self) -> None:
        for n in range(3):
            make_issue(n + 1)
        assert Indexer().run_once()
        _asleep("UPDATE kb_issue SET url = url || '0', ref = ref || '0' WHERE ref = '2'")
        found = search.index()
        assert not found.ok
        assert found.detail.startswith("It holds other issues than the database, such as https://github.com/")
        assert found.fix.startswith("Run `manage.py reindex --fresh`")

    def test_as_many_issues_with_other_ids_are_noticed(self) -> None:
        for n in range(3):
            make_issue(n + 1)
        assert Indexer().run_once()
        _asleep("UPDATE kb_issue SET id = id + 1000000")
        assert not search.index().ok

    def test_more_of_them_are_noticed_by_their_number(self) -> None:
        make_issue(1)
        assert Indexer().run_once()
        _asleep("DELETE FROM kb_issue")
        assert search.index().detail == "It holds 1 issues, and there are 0."

    def test_in_step_it_is_well_however_many_there_are(self) -> None:
        for n in range(search.SAMPLE + 20):
            make_issue(n + 1, kind="pull_request" if n % 9 == 0 else "issue")
        assert Indexer().run_once()
        assert search.index().ok


def _asleep(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(sql)
        cursor.execute("SET LOCAL session_replication_role = origin")
