"""What is most wanted: faults that people ask about without a record, and searches that found nothing close."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from kb.core.frameworks import listed_slugs
from kb.core.search.normalise import words
from kb.models import Issue, MissedSearch, OtherReport
from kb.starter.demand import Demand, read_demand

# A search asks for a listed fault if they share so many words, and so much of the search's.
LEAST_SHARED, SHARE = 3, 0.6
MOST_SEARCHES = 500


@dataclass(frozen=True)
class Wanted:
    """A listed fault without a record, or searches for what no list names: only one of the two is set.

    `searches`: how often it was searched for in vain.
    """

    fault: Demand | None
    search: MissedSearch | None
    searches: int

    @property
    def demand(self) -> int:
        """How many people are known to ask: by threads, and by searches."""
        return (self.fault.seen if self.fault else 0) + self.searches


def most_wanted(*, framework: str = "", hidden: bool = False) -> list[Wanted]:
    """What is wanted, the most asked first; with `hidden`, the searches that staff hid."""
    missed = list(MissedSearch.objects.filter(is_hidden=hidden)[:MOST_SEARCHES])
    if hidden:
        return [Wanted(None, search, search.searches) for search in missed]
    faults = [fault for fault in _unanswered(_listed()) if framework in ("", fault.framework)]
    counts = [0] * len(faults)
    alone = []
    texts = [frozenset(words(f"{fault.asked} {fault.line} {fault.framework}")) for fault in faults]
    for search in missed:
        place = _nearest(frozenset(words(search.words)), texts)
        if place is None:
            alone.append(search)
        else:
            counts[place] += search.searches
    wanted = [Wanted(fault, None, count) for fault, count in zip(faults, counts, strict=True)]
    if not framework:
        wanted += [Wanted(None, search, search.searches) for search in alone]
    return sorted(wanted, key=lambda each: (-each.demand, each.fault is None))


def frameworks_wanted() -> list[str]:
    """The frameworks of the list, by name."""
    return sorted({fault.framework for fault in _listed()} & listed_slugs())


@cache
def _listed() -> tuple[Demand, ...]:
    """The list, which changes with the program only."""
    return read_demand().entries


def _unanswered(faults: Iterable[Demand]) -> list[Demand]:
    """Those of which no thread has a record, nor one that a record answers."""
    listed = list(faults)
    threads = {thread for fault in listed for thread in fault.threads}
    answered = set(Issue.objects.curated().filter(url__in=threads).values_list("url", flat=True))
    numbers = {thread.rsplit("/", 1)[-1] for thread in threads}
    reports = OtherReport.objects.filter(ref__in=numbers).select_related("repository")
    answered |= {report.url for report in reports}
    return [fault for fault in listed if not fault.is_answered(answered)]


def _nearest(asked: frozenset[str], texts: Sequence[frozenset[str]]) -> int | None:
    """The place of the text that shares most of the words that were searched for."""
    shared, place = max(((len(asked & text), -place) for place, text in enumerate(texts)), default=(0, 0))
    return -place if shared >= LEAST_SHARED and shared >= SHARE * len(asked) else None


def demand_draft(search: MissedSearch) -> str:
    """A search as a line of the list: what a person has yet to look up stands as a question."""
    asked = json.dumps(search.words, ensure_ascii=False)
    return (
        "# Look for threads of this fault; name framework and kind; then: ./manage.py sort_demand FILE\n"
        f'- {{asked: {asked}, line: "", framework: , kind: , seen: 1, threads: []}}\n'
    )
