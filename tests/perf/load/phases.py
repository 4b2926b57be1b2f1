"""What a load consists of, one after another, and what was seen of each: plain Python, for visitors and their tables.

`warm` is not counted. In `full` the visitors ask again as soon as they are answered: how much the site can carry. In
`threefold` CROWD connections ask for three times as much, answered or not; in `after` for a third.
"""

import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

CROWD, TIMES, AFTER = 500, 3.0, 1 / 3
WARM_SECONDS, THREEFOLD_SECONDS, AFTER_SECONDS = 15.0, 20.0, 15.0
# A second is as always again when nothing is refused and 95 of 100 answers take no longer than this.
NORMAL_SECONDS = 0.4
REFUSED = 503
PAGES = "practitioner"


@dataclass
class Seen:
    """Answers of one kind: seconds of those that were served, of those that were refused, and what else came."""

    served: list[float] = field(default_factory=list)
    refused: list[float] = field(default_factory=list)
    wrong: Counter[int] = field(default_factory=Counter)

    def add(self, status: int, seconds: float) -> None:
        """One answer."""
        if status == REFUSED:
            self.refused.append(seconds)
        elif 200 <= status < 400 or status == 409:
            self.served.append(seconds)
        else:
            self.wrong[status] += 1

    def is_late(self) -> bool:
        """Was anybody refused, or did one of twenty wait too long?"""
        times = sorted(self.served)
        return bool(self.refused or (times and times[int((len(times) - 1) * 0.95)] > NORMAL_SECONDS))

    def row(self, name: str, seconds: float) -> str:
        """A line of a table."""
        times = sorted(self.served) or [float("nan")]
        places = [times[int((len(times) - 1) * share)] * 1_000 for share in (0.5, 0.95, 0.99, 1)]
        numbers = " ".join(f"{one:7.0f}" for one in places)
        longest = f"{max(self.refused) * 1_000:7.0f}" if self.refused else "      -"
        wrong = ", ".join(f"{count} x {status}" for status, count in sorted(self.wrong.items())) or "-"
        return (
            f"{name:26} {len(self.served):7} {len(self.served) / seconds:7.1f} {numbers}"
            f" {len(self.refused):7} {longest}   {wrong}"
        )


HEAD = (
    f"{'':26} {'served':>7} {'per s':>7} {'median':>7} {'p95':>7} {'p99':>7} {'most':>7}"
    f" {'refused':>7} {'most':>7}   other statuses (0: none)"
)


class Phases:
    """The clock of a load, and its notes."""

    def __init__(self, *, users: int, seconds: float) -> None:
        self._users = users
        lengths = {"warm": WARM_SECONDS, "full": seconds, "threefold": THREEFOLD_SECONDS, "after": AFTER_SECONDS}
        self._lengths = lengths
        self._began = time.monotonic()
        self._seen: dict[str, defaultdict[str, Seen]] = {name: defaultdict(Seen) for name in lengths}
        self._each_second: defaultdict[int, Seen] = defaultdict(Seen)

    def begin(self) -> None:
        """The clock starts."""
        self._began = time.monotonic()

    def now(self) -> str:
        """The phase's name; empty when all is over."""
        past = time.monotonic() - self._began
        for name, length in self._lengths.items():
            past -= length
            if past < 0:
                return name
        return ""

    def users_now(self) -> int:
        """How many visitors there are who read; 0 when all is over."""
        return {"warm": self._users, "full": self._users, "": 0}.get(self.now(), CROWD)

    def rate(self) -> float:
        """Answers to readers per second in `full`."""
        served = sum(len(seen.served) for name, seen in self._seen["full"].items() if _reads(name))
        return served / self._lengths["full"]

    def asks_now(self, tick: float) -> bool:
        """Does a visitor ask in this tick of so many seconds? Nobody knows when they did before."""
        share = {"threefold": TIMES, "after": AFTER, "": 0.0}.get(self.now())
        return share is None or random.random() < tick * share * self.rate() / CROWD  # noqa: S311

    def note(self, name: str, status: int, seconds: float) -> None:
        """An answer; it belongs to the phase in which its request was sent."""
        sent = time.monotonic() - seconds - self._began
        for phase, length in self._lengths.items():
            sent -= length
            if sent < 0:
                self._seen[phase][name].add(status, seconds)
                break
        if _reads(name) and self.now():
            self._each_second[int(time.monotonic() - self._began)].add(status, seconds)

    def table(self) -> Iterator[str]:
        """What was seen, phase by phase."""
        for phase in ("full", "threefold", "after"):
            kinds, length = self._seen[phase], self._lengths[phase]
            yield f"\n{phase}, {length:.0f} s; milliseconds\n{HEAD}"
            for name in sorted({name.partition(":")[0] for name in kinds}):
                of_kind = {one: seen for one, seen in kinds.items() if one.partition(":")[0] == name}
                yield _sum(of_kind.values()).row(name, length)
                for one, seen in sorted(of_kind.items()):
                    yield seen.row(f"  {one.partition(': ')[2]}", length)
        used, whole = time.process_time(), time.monotonic() - self._began
        yield f"\nas always again {self._back_after()} s after the crowd; visiting took {used / whole:.2f} of a core"

    def _back_after(self) -> int:
        """Whole seconds until the last that was not as always."""
        ended = int(sum(self._lengths.values()) - AFTER_SECONDS)
        return max(
            (second + 1 - ended for second, seen in self._each_second.items() if second >= ended and seen.is_late()),
            default=0,
        )


def _reads(name: str) -> bool:
    return name.startswith((PAGES, "API bot"))


def _sum(some: Iterable[Seen]) -> Seen:
    whole = Seen()
    for seen in some:
        whole.served += seen.served
        whole.refused += seen.refused
        whole.wrong += seen.wrong
    return whole
