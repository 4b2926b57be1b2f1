"""The cache fails soft: where its server refuses to write, too; and every key that counts has an end."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from config import cache as module
from config.cache import Outage, SoftCache
from config.embedded.valkey import Valkey

HOUR = 3_600


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server that only the test has."""
    monkeypatch.setattr(module, "OUTAGE", Outage())
    server = Valkey(tmp_path / "valkey", tmp_path / "valkey.log", throwaway=True)
    server.start()
    yield server.url()
    server.stop()


def test_a_server_that_is_full_is_an_outage_until_it_writes_again(url: str) -> None:
    cache, server = SoftCache(url, {}), redis.Redis.from_url(url)
    cache.set("kept", "before", None)
    server.config_set("maxmemory", 1)
    assert [cache.count({"visitor": HOUR}) for _ in range(3)] == [[1], [2], [3]]
    assert cache.add("new", 1, HOUR)
    assert cache.get_many(iter(["new"])) == {"new": 1}
    module.OUTAGE._until = 0.0
    assert cache.get("kept") == "before"
    assert cache.count({"visitor": HOUR}) == [4]
    server.config_set("maxmemory", 0)
    module.OUTAGE._until = 0.0
    assert cache.count({"visitor": HOUR}) == [1]
    assert not module.OUTAGE.is_on


def test_a_server_that_is_away_is_an_outage(url: str) -> None:
    cache = SoftCache(url.replace("127.0.0.1", "127.0.0.2"), {})
    assert cache.get_or_set("key", 7) == 7
    assert (cache.get("key"), cache.has_key("other"), cache.incr("key"), cache.decr("key")) == (7, False, 8, 7)
    assert module.OUTAGE.is_on


def test_whatever_counts_has_an_end_from_its_first_on(url: str) -> None:
    cache, server = SoftCache(url, {}), redis.Redis.from_url(url)
    assert cache.count({"one": HOUR}) == [1]
    assert cache.count({"one": 2 * HOUR, "two": HOUR}) == [2, 1]
    assert all(HOUR - 60 < server.ttl(f":1:{key}") <= HOUR for key in ("one", "two"))
