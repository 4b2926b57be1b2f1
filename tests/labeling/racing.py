"""Several requests at the same moment, each with a session and a connection of its own, on the real Postgres.

A row that all of them need is held until they all wait for it. So they meet where they would meet by chance.
"""

import threading
from collections.abc import Callable, Sequence

from django.db import connection, models, transaction
from django.test import Client

from labeling.models import Member

PATIENCE = 30
Ask = Callable[[Client], int]


def browser(member: Member) -> Client:
    """Somebody's session; what fails answers 500, as it would outside."""
    client = Client(raise_request_exception=False)
    client.force_login(member.user)
    return client


def at_once(asks: Sequence[tuple[Member, Ask]], *, held: models.Model) -> list[int]:
    """The statuses of these requests, which begin in this order and all wait for a row until the last one does."""
    statuses = [0] * len(asks)
    clients = [browser(member) for member, _ in asks]

    def work(place: int) -> None:
        try:
            statuses[place] = asks[place][1](clients[place])
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(place,)) for place in range(len(asks))]
    with transaction.atomic():
        type(held)._default_manager.select_for_update().get(pk=held.pk)
        for number, thread in enumerate(threads, start=1):
            thread.start()
            _wait_until_blocked(number, threads)
    for thread in threads:
        thread.join(PATIENCE)
    return statuses


def _wait_until_blocked(number: int, threads: Sequence[threading.Thread]) -> None:
    """Until so many sessions wait for a lock, or their requests have been answered without."""
    tick = threading.Event()
    for _ in range(PATIENCE * 50):
        finished = sum(not one.is_alive() for one in threads[:number])
        if _blocked() + finished >= number:
            return
        tick.wait(0.02)
    raise AssertionError(f"Only {_blocked()} of {number} requests wait.")


def _blocked() -> int:
    with connection.cursor() as cursor:
        # Not by pg_stat_activity, of which a transaction sees the same all the time.
        cursor.execute("SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted")
        return int(cursor.fetchone()[0])
