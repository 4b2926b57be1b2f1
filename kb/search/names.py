"""What filters understand: their keys, and the values that stand in the database with all their names.

Read in one statement and kept for a minute in each process, and for as long as the database is away. A stamp in the
cache tells processes when to read again.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic

from django.core.cache import cache
from django.db import OperationalError, connection

from kb.core.search.lookup import Lookup, Named, either
from kb.core.search.speech import Speech, speech
from kb.filters.fields import DayField, RangeField, YearField
from kb.filters.issues import AXIS_KEYS, SHORTHANDS, IssueFilter
from kb.health import database
from kb.models import Source

SECONDS = 60
# So long a process does not even look at the stamp: under load, asking the cache takes longer than much of a search.
LOOK_SECONDS = 2
STAMP = "search-names"
FILTER_KEYS = {axis: key for key, axis in AXIS_KEYS.items()}
EXAMPLES = {
    RangeField: (">10", "<=10", "10..20"),
    DayField: (">2024-01", "2024", "2024-01..2024-06"),
    YearField: ("2024", "2021..2023", ">=2023"),
}
# Keys whose values `ROWS` reads; those of others are declared with the filter.
STORED = ("framework", "repository", "source", "node", *AXIS_KEYS)
# Old names of a repository and the words of a merged node lead to what they became.
ROWS = """
SELECT 'framework', slug, name, '{}'::text[], true, '' FROM kb_framework
UNION ALL (SELECT 'source', slug, name, '{}', true, ''
    FROM kb_source ORDER BY array_position(%s::text[], kind::text), slug)
UNION ALL SELECT 'repository', r.full_name, r.full_name,
    array_append(ARRAY(SELECT a.full_name::text FROM kb_repositoryalias a WHERE a.repository_id = r.id),
        split_part(r.full_name, '/', 2)), true, '' FROM kb_repository r
UNION ALL (SELECT s.slug, n.code, n.name,
    n.aliases || coalesce(merged.words, '{}'),
    n.status = 'active', CASE WHEN s.study_id IS NULL THEN a.code ELSE '-' END
    FROM kb_node n JOIN kb_axis a ON a.id = n.axis_id JOIN kb_scheme s ON s.id = a.scheme_id
    LEFT JOIN (
        SELECT m.merged_into_id, array_agg(word) AS words
        FROM kb_node m, unnest(ARRAY[m.code, m.name]::text[] || m.aliases) AS word
        WHERE m.merged_into_id IS NOT NULL GROUP BY 1
    ) merged ON merged.merged_into_id = n.id
    WHERE n.status <> 'merged' ORDER BY s.study_id IS NOT NULL, s.slug, a.position, n.position, n.id)
"""


@dataclass(frozen=True)
class Key:
    """A filter: what it is called, and examples of values that are no names."""

    key: str
    label: str
    help_text: str
    examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class Names:
    """Every key, and the values of each key that has any, those in the database and the fixed ones."""

    keys: tuple[Key, ...]
    stored: Mapping[str, Lookup]
    fixed: Mapping[str, Lookup]

    def of(self, key: str) -> Lookup | None:
        """The values of a key."""
        return self.stored.get(key) or self.fixed.get(key)


_cached: tuple[str, Names] | None = None
_looked_at = 0.0


def names() -> Names:
    """The present names, at most a minute or two old. Raises `OperationalError` where they were never read."""
    global _cached, _looked_at
    if _cached is not None and (monotonic() - _looked_at < LOOK_SECONDS or not database.answers()):
        return _cached[1]
    stamp = cache.get(STAMP)
    if stamp is None or _cached is None or _cached[0] != stamp:
        if stamp is None:
            stamp = uuid.uuid4().hex
            cache.set(STAMP, stamp, SECONDS)
        try:
            _cached = (stamp, _read())
        except OperationalError:
            if _cached is None or database.answers(anew=True):
                raise
            return _cached[1]
    _looked_at = monotonic()
    return _cached[1]


def at_hand() -> Names | None:
    """The present names; None where the database went away before they were read."""
    return names() if _cached is not None or database.answers() else None


def spoken() -> Speech:
    """What the present names mean to a search."""
    present = at_hand()
    return speech(present.stored if present else None)


def forget() -> None:
    """Read anew at the next call."""
    global _cached
    _cached = None


def _read() -> Names:
    by_key: dict[str, dict[str, Named]] = {}
    with connection.cursor() as cursor:
        cursor.execute(ROWS, [Source.Kind.values])
        for room, value, name, aliases, is_offered, axis in cursor.fetchall():
            if not axis:
                by_key.setdefault(room, {})[value] = Named(value, name, tuple(aliases), is_offered)
                continue
            if key := FILTER_KEYS.get(axis):
                by_key.setdefault(key, {})[value] = Named(value, name, tuple(aliases), is_offered)
            path = f"{room}/{value}"
            by_key.setdefault("node", {}).setdefault(path, Named(path, name, (value, *aliases), is_offered))
    stored = {key: Lookup(by_key.get(key, {}).values()) for key in STORED}
    for key, declared in IssueFilter.base_filters.items():
        if among := declared.extra.get("among"):
            stored[key] = Lookup(Named(value, name) for value, name in among())
    return Names(KEYS, stored, FIXED)


def _keys() -> tuple[Key, ...]:
    keys = []
    for key, declared in IssueFilter.base_filters.items():
        help_text = str(declared.extra.get("help_text", ""))
        keys.append(Key(key, str(declared.label), help_text, EXAMPLES.get(declared.field_class, ())))
    for word, values in SHORTHANDS.items():
        keys.append(Key(word, word.capitalize(), f"{either([f'`{word}:{name}`' for name in values])}."))
    return tuple(keys)


def _fixed() -> dict[str, Lookup]:
    fixed = {}
    for key, declared in IssueFilter.base_filters.items():
        if "known" in declared.extra:
            fixed[key] = Lookup(declared.extra["known"])
    for word, values in SHORTHANDS.items():
        fixed[word] = Lookup(Named(name, name.replace("_", " ").capitalize()) for name in values)
    return fixed


KEYS = _keys()
FIXED = _fixed()
