"""Whether the database answers is looked at seldom, by one thread at a time, and silence is an answer."""

import logging
import threading

import pytest
from django.db import OperationalError, connection

from kb.health import database
from kb.health.database import Watch


@pytest.mark.django_db
def test_a_connection_that_lives_answers() -> None:
    assert database.reached()


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_broke_in_the_middle_of_a_request_is_made_anew() -> None:
    assert database.reached()
    with connection.cursor() as cursor, pytest.raises(OperationalError):
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    assert database.reached()
    assert connection.is_usable()


def test_a_look_is_trusted_for_a_while() -> None:
    looks: list[int] = []

    def look() -> bool:
        looks.append(1)
        return len(looks) > 1

    watch = Watch(look)
    assert [watch.answers(), watch.answers(), watch.answers(anew=True), watch.answers()] == [False, False, True, True]
    assert len(looks) == 2


def test_the_beginning_and_the_end_are_logged_once_each(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "LOOK_SECONDS", 0.0)
    said = iter([True, False, False, True, True])
    watch = Watch(lambda: next(said))
    with caplog.at_level(logging.INFO, "kb.health.database"):
        assert [watch.answers() for _ in range(5)] == [True, False, False, True, True]
    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]


def test_whoever_does_not_wait_for_a_look_takes_silence_for_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "SILENCE_SECONDS", 0.0)
    looking, answered = threading.Event(), threading.Event()

    def look() -> bool:
        looking.set()
        return answered.wait(30)

    watch = Watch(look)
    looker = threading.Thread(target=watch.answers)
    looker.start()
    assert looking.wait(30)
    assert not watch.answers()
    answered.set()
    looker.join()
    assert watch.answers()


def test_a_look_that_breaks_does_not_end_all_looking() -> None:
    said = iter([0, 1])
    watch = Watch(lambda: 1 / next(said) > 0)
    with pytest.raises(ZeroDivisionError):
        watch.answers()
    assert watch.answers(anew=True)
