"""How many documents match, and how many of them have each value of each group: exact, and in few passes.

A pass visits every match, so what it counts is kept until the next commit. Where most documents match, the few
others are counted instead and taken away from the counts over all.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import tantivy
from tantivy import Query

from kb.core.search.backend import EVERYTHING, HELD, chosen_sources, conditions_of, held_values, without
from kb.core.search.keys import CODE_KEYS
from kb.core.search.tantivy.query import Queries
from kb.core.search.tantivy.schema import CODES, IN_CODES
from kb.core.search.values import Condition, Request, TextQuery

MOST_KEPT = 256
# More than any group has values, so that tantivy leaves none out.
MOST_VALUES = 50_000

Groups = dict[str, dict[str, int]]
# Like `map`, or that of an executor.
Map = Callable[["Callable[[Count], tuple[int, Groups]]", "Sequence[Count]"], Iterable[tuple[int, Groups]]]


@dataclass(frozen=True)
class Count:
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
        self._cache: OrderedDict[Count, tuple[int, Groups]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, request: Request) -> tuple[int, Groups]:
        """The number of matches, and the counts of the groups asked for, each without its own condition."""
        conditions = conditions_of(request)
        chosen = {condition.key for condition in conditions} & set(request.facets)
        passes = [Count(request.text, conditions, tuple(sorted(set(request.facets) - chosen)))]
        passes += [Count(request.text, without(conditions, group), (group,)) for group in sorted(chosen)]
        counted = list(self._map(self._cached, passes))
        groups: Groups = {}
        for _, of_pass in counted:
            groups |= of_pass
        return counted[0][0], groups

    def _cached(self, count: Count) -> tuple[int, Groups]:
        with self._lock:
            if count in self._cache:
                self._cache.move_to_end(count)
                return self._cache[count]
        counted = self._count(count)
        with self._lock:
            self._cache[count] = counted
            if len(self._cache) > MOST_KEPT:
                self._cache.popitem(last=False)
        return counted

    def _count(self, count: Count) -> tuple[int, Groups]:
        query = self._queries.matching(count.text, count.conditions)
        if not count.groups:
            return self._pass(query, ())
        sources = chosen_sources(count.conditions)
        held = tuple(group for group in count.groups if sources and group in CODE_KEYS)
        others = tuple(group for group in count.groups if group not in held)
        if self._is_common(count.text):
            total, groups = self._by_complement(replace(count, groups=others))
        else:
            total, groups = self._pass(query, others)
        if held:
            groups = groups | self._held(query, sources, held)
        return total, groups

    def _is_common(self, text: TextQuery) -> bool:
        """Do most documents match for sure?"""
        if text.least > 1 or text.phrases or text.unwanted:
            return False
        for wanted in text.wanted:
            for word, _weight in wanted.words:
                if 2 * self._searcher.doc_freq(EVERYTHING, word) > self._searcher.num_docs:
                    return True
        return False

    def _by_complement(self, count: Count) -> tuple[int, Groups]:
        """The counts over all documents, less those over what does not match."""
        total, everything = self._cached(replace(count, text=TextQuery()))
        no_match = self._queries.matching(TextQuery(), count.conditions, self._queries.no_match(count.text))
        no_matches, counted = self._pass(no_match, count.groups)
        groups: Groups = {}
        for group, counts in everything.items():
            left = {value: documents - counted[group].get(value, 0) for value, documents in counts.items()}
            groups[group] = {value: documents for value, documents in left.items() if documents}
        return total - no_matches, groups

    def _pass(self, query: Query, groups: Sequence[str]) -> tuple[int, Groups]:
        together = [group for group in groups if group in IN_CODES]
        columns = [group for group in groups if group not in together]
        columns += [CODES] if len(together) > 1 else together
        terms: dict[str, Any] = {name: {"terms": {"field": name, "size": MOST_VALUES}} for name in columns}
        answer = self._searcher.aggregate(query, terms | {"total": {"value_count": {"field": "id"}}})
        counted: Groups = {}
        for name in columns:
            counted[name] = {bucket["key"]: int(bucket["doc_count"]) for bucket in answer[name]["buckets"]}
        codes = counted.pop(CODES, {})
        counted |= {group: {} for group in together if group not in counted}
        for code, count in codes.items():
            group, _, value = code.partition("=")
            if group in counted:
                counted[group][value] = count
        return int(answer["total"]["value"]), counted

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
        holders: dict[tuple[str, str], dict[str, int]] = {}
        for value, count in self._pass(query, (HELD,))[1][HELD].items():
            source, _, held = value.partition("|")
            group, _, code = held.partition("/")
            if source in sources and group in groups:
                holders.setdefault((group, code), {})[source] = count
        return holders
