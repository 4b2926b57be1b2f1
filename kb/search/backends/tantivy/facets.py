"""How many documents match, and how many of them have each value of each group: exact, and in few passes.

A pass visits every match, so what it counts is kept until the next commit. Where most documents match, the few
others are counted instead and taken away from the counts over all.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import tantivy
from tantivy import Query

from kb.search.backends.base import CODE_KEYS, EVERYTHING, HELD, chosen_sources, conditions_of, held_values, without
from kb.search.backends.tantivy.query import Queries
from kb.search.backends.tantivy.schema import CODES, IN_CODES
from kb.search.values import Condition, Request, TextQuery

MOST_KEPT = 256
# More than any group has values, so that tantivy leaves none out.
MOST_VALUES = 50_000

Groups = dict[str, dict[str, int]]
# Like `map`, or that of an executor.
Map = Callable[["Callable[[Asked], tuple[int, Groups]]", "Sequence[Asked]"], Iterable[tuple[int, Groups]]]


@dataclass(frozen=True)
class Asked:
    """What one pass counts: groups over the documents that match."""

    text: TextQuery
    conditions: tuple[Condition, ...]
    groups: tuple[str, ...]


class Counts:
    """Counts over one snapshot of the index."""

    def __init__(self, searcher: tantivy.Searcher, queries: Queries, map_: Map) -> None:
        self._searcher = searcher
        self._map = map_
        self._queries = queries
        self._kept: OrderedDict[Asked, tuple[int, Groups]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, request: Request) -> tuple[int, Groups]:
        """The number of matches, and the counts of the groups asked for, each without its own condition."""
        conditions = conditions_of(request)
        chosen = {condition.key for condition in conditions} & set(request.facets)
        passes = [Asked(request.text, conditions, tuple(sorted(set(request.facets) - chosen)))]
        passes += [Asked(request.text, without(conditions, group), (group,)) for group in sorted(chosen)]
        counted = list(self._map(self._cached, passes))
        return counted[0][0], {group: counts for _, groups in counted for group, counts in groups.items()}

    def _cached(self, asked: Asked) -> tuple[int, Groups]:
        with self._lock:
            if asked in self._kept:
                self._kept.move_to_end(asked)
                return self._kept[asked]
        counted = self._count(asked)
        with self._lock:
            self._kept[asked] = counted
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return counted

    def _count(self, asked: Asked) -> tuple[int, Groups]:
        query = self._queries.matching(asked.text, asked.conditions)
        if not asked.groups:
            return self._pass(query, ())
        sources = chosen_sources(asked.conditions)
        held = tuple(group for group in asked.groups if sources and group in CODE_KEYS)
        plain = Asked(asked.text, asked.conditions, tuple(group for group in asked.groups if group not in held))
        total, groups = self._by_the_others(plain) if self._is_common(asked.text) else self._pass(query, plain.groups)
        if held:
            groups = groups | self._held(query, sources, held)
        return total, groups

    def _is_common(self, text: TextQuery) -> bool:
        """Do most documents match for sure?"""
        if text.least > 1 or text.phrases or text.unwanted:
            return False
        words = {word for wanted in text.wanted for word, _ in wanted.words}
        return any(2 * self._searcher.doc_freq(EVERYTHING, word) > self._searcher.num_docs for word in words)

    def _by_the_others(self, asked: Asked) -> tuple[int, Groups]:
        """Everything less what does not match."""
        total, everything = self._cached(Asked(TextQuery(), asked.conditions, asked.groups))
        others = self._queries.matching(TextQuery(), asked.conditions, self._queries.no_match(asked.text))
        less, counted = self._pass(others, asked.groups)
        return total - less, {
            group: {value: n for value, count in counts.items() if (n := count - counted[group].get(value, 0))}
            for group, counts in everything.items()
        }

    def _pass(self, query: Query, groups: Sequence[str]) -> tuple[int, Groups]:
        together = [group for group in groups if group in IN_CODES]
        columns = [group for group in groups if group not in together]
        columns += [CODES] if len(together) > 1 else together
        asked: dict[str, Any] = {name: {"terms": {"field": name, "size": MOST_VALUES}} for name in columns}
        found = self._searcher.aggregate(query, asked | {"total": {"value_count": {"field": "id"}}})
        total = int(found["total"]["value"])
        counted = {name: _values(found[name]) for name in columns}
        codes = counted.pop(CODES, {})
        counted |= {group: {} for group in together if group not in counted}
        for code, count in codes.items():
            group, _, value = code.partition("=")
            if group in counted:
                counted[group][value] = count
        return total, counted

    def _held(self, query: Query, sources: Sequence[str], groups: tuple[str, ...]) -> Groups:
        """Codes that the chosen sources hold, each document once however many of them hold a code."""
        counted: Groups = {group: {} for group in groups}
        for (group, code), by_source in self._holders(query, sources, groups).items():
            counted[group][code] = sum(by_source.values())
        if len(sources) > 1:
            several = self._queries.both(query, [self._queries.at_least_two("source", sources)])
            for (group, code), by_source in self._holders(several, sources, groups).items():
                if len(by_source) > 1:
                    holders = [self._queries.value(HELD, value) for value in held_values(sources, group, (code,))]
                    held_once = self._pass(self._queries.both(several, holders), ())[0]
                    counted[group][code] -= sum(by_source.values()) - held_once
        return counted

    def _holders(
        self, query: Query, sources: Sequence[str], groups: tuple[str, ...]
    ) -> dict[tuple[str, str], dict[str, int]]:
        """By group and code: how many documents each of the sources holds it on."""
        found: dict[tuple[str, str], dict[str, int]] = {}
        for value, count in self._pass(query, (HELD,))[1][HELD].items():
            source, _, held = value.partition("|")
            group, _, code = held.partition("/")
            if source in sources and group in groups:
                found.setdefault((group, code), {})[source] = count
        return found


def _values(found: dict[str, Any]) -> dict[str, int]:
    return {bucket["key"]: int(bucket["doc_count"]) for bucket in found["buckets"]}
