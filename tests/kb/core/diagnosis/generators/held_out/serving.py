"""Held out: a server whose engine dies of one worker."""

from tests.kb.core.diagnosis.generators.play import SUPPORT, Crash, Say

ENGINE_DEATH = Crash(
    ("AssertionError: block table of request has 4097 entries, the cache has room for 4096",),
    "forward",
    before=(Say("preempted 31 requests for lack of cache blocks", "log", SUPPORT, "WARNING", "scheduler.py:410:step"),),
)
