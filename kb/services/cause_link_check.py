"""Compares the stored cause links with a full recount; nothing is written."""

from dataclasses import dataclass

from kb.models import Source
from kb.services.cause_link_counts import count, counting, touch_sources

Counts = tuple[int, int, int, int]

DIFFERENT = """
SELECT s.slug, symptom.code, cause.code, pair.stored, pair.counted FROM (
    SELECT coalesce(l.source_id, w.source_id) AS source_id, coalesce(l.symptom_id, w.symptom_id) AS symptom_id,
        coalesce(l.cause_id, w.cause_id) AS cause_id,
        CASE WHEN l.id IS NOT NULL THEN ARRAY[l.issues, l.symptom_issues, l.cause_issues, l.all_issues] END AS stored,
        CASE WHEN w.issues IS NOT NULL THEN ARRAY[w.issues, w.symptom_issues, w.cause_issues, w.all_issues] END
            AS counted
    FROM (SELECT * FROM kb_causelink WHERE source_id IN (SELECT source_id FROM links_whole)) AS l
    FULL JOIN links_wanted w
        ON w.source_id = l.source_id AND w.symptom_id = l.symptom_id AND w.cause_id = l.cause_id
) AS pair
JOIN kb_source s ON s.id = pair.source_id
JOIN kb_node symptom ON symptom.id = pair.symptom_id
JOIN kb_node cause ON cause.id = pair.cause_id
WHERE pair.stored IS DISTINCT FROM pair.counted ORDER BY 1, 2, 3
"""
MISCOUNTED = """
SELECT count(*) FROM (
    SELECT * FROM kb_causelinkevidence WHERE source_id IN (SELECT source_id FROM links_whole)
) AS e
FULL JOIN (SELECT * FROM links_changed WHERE symptoms IS NOT NULL) AS c
    ON c.source_id = e.source_id AND c.issue_id = e.issue_id
WHERE (e.symptoms, e.causes) IS DISTINCT FROM (c.symptoms, c.causes)
"""
WAITING = "SELECT count(*) FROM kb_causelinkchange WHERE source_id IN (SELECT source_id FROM links_whole)"


@dataclass(frozen=True)
class LinkDifference:
    """A link that a recount gives otherwise. Counts: pair, symptom, cause, all; None where there is no link."""

    source: str
    symptom: str
    cause: str
    stored: Counts | None
    counted: Counts | None

    def __str__(self) -> str:
        stored, counted = _text(self.stored), _text(self.counted)
        return f"{self.source}: {self.symptom} → {self.cause}: stored {stored}, {counted} now"


def _text(counts: Counts | None) -> str:
    return "{} of {} (cause {}, all {})".format(*counts) if counts else "nothing"


@dataclass(frozen=True)
class Check:
    """The result of a recount: differing links and issues, and the number of label changes not yet counted."""

    links: tuple[LinkDifference, ...]
    issues: int
    waiting: int

    @property
    def is_clean(self) -> bool:
        """Whether everything is stored as the recount has it."""
        return not self.links and not self.issues


def check_cause_links(*, source: Source | None = None) -> Check:
    """Recount `source` (all but rules when None) and compare with the stored links."""
    followed = Source.objects.exclude(kind=Source.Kind.RULE).values_list("pk", flat=True)
    with counting() as cursor:
        assert cursor is not None  # noqa: S101 it waited
        touch_sources(cursor, [source.pk] if source else list(followed), with_rules=True)
        count(cursor)
        cursor.execute(DIFFERENT)
        links = tuple(
            LinkDifference(slug, symptom, cause, stored and tuple(stored), counted and tuple(counted))
            for slug, symptom, cause, stored, counted in cursor.fetchall()
        )
        cursor.execute(MISCOUNTED)
        issues = int(cursor.fetchone()[0])
        cursor.execute(WAITING)
        return Check(links, issues, int(cursor.fetchone()[0]))
