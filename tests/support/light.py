"""Light issues in any number, written in seconds: for what depends on how many there are, not on what they say."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from django.db import connection

from kb.codebook.load import load_codebook
from kb.models import Node, Repository, Study
from kb.services.labels import ensure_curated_source
from kb.services.repositories import ensure_frameworks
from kb.services.sources import StudySource, ensure_study_source

SEED = 20_260_101
START = datetime(2018, 1, 1, tzinfo=UTC)
DAYS = 3_000
# Word -> the share of issues that hold it.
SPREAD = {"error": 0.4, "training": 0.3, "crash": 0.08, "hang": 0.04, "checkpoint": 0.02, "deadlock": 0.005}
PHRASE, PHRASE_SHARE = "illegal memory access", 0.01
FILLING = 4_000
Row = tuple[object, ...]

ISSUE = (
    "id, repository_id, ref, url, kind, title, body, state, opened_at, closed_at, comment_count, reaction_count, "
    "host_labels, author_association, heading, summary, recognise, resolution, workaround, affected_versions, "
    "fixed_version, evidence, related_urls, read_extent, label_terms"
)
# What the triggers would write, at once.
DIGESTS = """
INSERT INTO kb_issuedigest (issue_id, node_ids, source_kinds, has_fix, small_fix)
SELECT i.id, coalesce(held.nodes, '{}'), coalesce(held.kinds, '{}'), f.id IS NOT NULL, f.is_small
FROM kb_issue i LEFT JOIN kb_fix f ON f.id = i.id LEFT JOIN (
    SELECT l.issue_id, array_agg(DISTINCT s.kind) AS kinds,
        array_agg(DISTINCT up.id) FILTER (WHERE scheme.study_id IS NULL AND up.id IS NOT NULL) AS nodes
    FROM kb_label l JOIN kb_source s ON s.id = l.source_id
    JOIN kb_axis a ON a.id = l.axis_id JOIN kb_scheme scheme ON scheme.id = a.scheme_id
    JOIN kb_node n ON n.id = l.node_id LEFT JOIN kb_node p ON p.id = n.parent_id
    CROSS JOIN LATERAL (VALUES (n.id), (n.parent_id), (p.parent_id)) AS up(id)
    GROUP BY 1
) AS held ON held.issue_id = i.id
"""


def fill(size: int) -> None:
    """Write the codebook and, in the place of all issues, `size` others with labels, fixes and digests.

    Triggers and keys sleep meanwhile. For tests without a transaction around them: in the end Postgres tidies up and
    takes its statistics, as it does by itself in time.
    """
    ensure_frameworks()
    load_codebook()
    chance = random.Random(SEED)  # noqa: S311
    fixed = [pk for pk in range(1, size + 1) if chance.random() < 0.2]
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE kb_issue, kb_issuedigest, kb_fix CASCADE")
        cursor.execute("SET session_replication_role = replica")
        _copy("kb_issue", ISSUE, _issues(size, list(Repository.objects.order_by("pk")), chance))
        _copy("kb_label", "issue_id, axis_id, node_id, source_id, reason", _labels(size, *_answers(), chance))
        _copy("kb_fix", "id, url, kind, description, merged_on, additions, deletions", _fixes(fixed, chance))
        _copy("kb_issue_fixes", "issue_id, fix_id", ((pk, pk) for pk in fixed))
        _copy("kb_issue_related", "from_issue_id, to_issue_id", ((pk, size + 1 - pk) for pk in fixed))
        cursor.execute(DIGESTS)
        cursor.execute("RESET session_replication_role")
        cursor.execute("VACUUM ANALYZE")


def _copy(table: str, columns: str, rows: Iterator[Row]) -> None:
    with connection.cursor() as cursor, cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def _issues(size: int, repositories: list[Repository], chance: random.Random) -> Iterator[Row]:
    for pk in range(1, size + 1):
        repository = repositories[min(int(chance.expovariate(0.2)), len(repositories) - 1)]
        opened = START + timedelta(days=chance.randrange(DAYS), seconds=chance.randrange(86_400))
        closed = None if chance.random() < 0.25 else opened + timedelta(hours=chance.randrange(3_000))
        kind = "pull_request" if chance.random() < 0.02 else "issue"
        title, body = _text(chance, 3), _text(chance, 12)
        ours = body if chance.random() < 0.02 else ""
        yield (
            pk, repository.pk, str(pk), f"{repository.url}/issues/{pk}", kind, title, body,
            "closed" if closed else "open", opened, closed, int(chance.expovariate(0.2)), int(chance.expovariate(1)),
            [], "", title[:160] if ours else "", ours, [], ours, "", [], "", "[]", [], "", "",
        )  # fmt: skip


def _text(chance: random.Random, length: int) -> str:
    held = [word for word, share in SPREAD.items() if chance.random() < share]
    held += [PHRASE] if chance.random() < PHRASE_SHARE else []
    return " ".join((*(f"w{int(chance.random() ** 2 * FILLING)}" for _ in range(length)), *held))


def _answers() -> tuple[list[Row], list[Row]]:
    """The axis, node and source of every label there may be: the house's, and one study's."""
    study = Study.objects.order_by("pk")[0]
    said = StudySource("a-study", "A study", "medium", "https://example.org/", "none stated", "Fair.")
    curated, theirs = ensure_curated_source().pk, ensure_study_source(study=study, wanted=said).pk
    active = Node.objects.filter(status="active").order_by("pk").values_list("axis_id", "pk")
    house = active.filter(axis__scheme__study=None)
    return [(*one, curated) for one in house], [(*one, theirs) for one in active.filter(axis__scheme__study=study)]


def _labels(size: int, house: list[Row], study: list[Row], chance: random.Random) -> Iterator[Row]:
    """Two of the house's on each issue, and on some of them one of the study's."""
    for pk in range(1, size + 1):
        for one in {chance.choice(house), chance.choice(house)}:
            yield pk, *one, ""
        if chance.random() < 0.05:
            yield pk, *chance.choice(study), ""


def _fixes(fixed: list[int], chance: random.Random) -> Iterator[Row]:
    for pk in fixed:
        merged = START.date() + timedelta(days=chance.randrange(DAYS))
        lines = int(chance.expovariate(0.02)), int(chance.expovariate(0.05))
        yield pk, f"https://github.com/example/light/pull/{pk}", "pull_request", "", merged, *lines
