"""Workers are told of deliveries once a second at most, and nobody waits for that or fails by it."""

import threading
from unittest.mock import Mock

import pytest
import redis
from kombu.exceptions import OperationalError

from ingest import tasks
from ingest.sync import wakeups as waking
from ingest.sync.wakeups import Waker, tell_workers


def test_many_calls_within_the_time_are_one() -> None:
    told = Mock()
    waker = Waker(told, seconds=60)
    threads = [waker.wake() for _ in range(50)]
    assert threads[0] is not None
    threads[0].join()
    assert [one for one in threads if one] == threads[:1]
    told.assert_called_once_with()


def test_tells_again_when_the_time_is_over() -> None:
    told = Mock()
    waker = Waker(told, seconds=0)
    for _ in range(3):
        thread = waker.wake()
        assert thread is not None
        thread.join()
    assert told.call_count == 3


def test_nobody_waits_for_a_broker_that_hangs() -> None:
    asked, answered = threading.Event(), threading.Event()

    def hang() -> None:
        asked.set()
        answered.wait(30)

    waker = Waker(hang, seconds=0)
    thread = waker.wake()
    assert thread is not None
    assert asked.wait(30)
    assert waker.wake() is None
    answered.set()
    thread.join()
    assert waker.wake() is not None


def test_processes_agree_on_one_message_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = Mock()
    monkeypatch.setattr(waking, "current_app", Mock(send_task=sent))
    tell_workers()
    tell_workers()
    assert sent.call_count == 1
    assert sent.call_args.args == (tasks.handle_deliveries.name,)


@pytest.mark.parametrize("error", [redis.ConnectionError(), redis.TimeoutError(), OperationalError()])
def test_a_broker_that_is_down_is_no_error(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    monkeypatch.setattr(waking, "cache", Mock(add=Mock(side_effect=error)))
    tell_workers()
    monkeypatch.setattr(waking, "cache", Mock(add=Mock(return_value=True)))
    monkeypatch.setattr(waking, "current_app", Mock(send_task=Mock(side_effect=error)))
    tell_workers()
