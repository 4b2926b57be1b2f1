"""A corpus of any size for benchmarks: real issue texts recombined where they are at hand, else record texts.

Labels, dates, fixes and frameworks follow fixed skews and one seed, so that two runs measure the same rows.
"""

import datetime as dt
import gzip
import json
import random
from collections.abc import Iterator
from math import log
from pathlib import Path

from django.db import connection, transaction

from kb.codebook.load import load_codebook
from kb.models import Axis, Fix, Issue, Label, Node, Repository
from kb.services.cause_links import rebuild_cause_links
from kb.services.labels import ensure_curated_source, refresh_label_terms
from kb.services.repositories import ensure_frameworks
from kb.starter.load import load_starter, read_records

REAL_TEXTS = Path(__file__).parents[3] / "shared/data/issues"
SEED = 20_260_101
FIRST_REF = 1_000_000
FIRST_DAY, DAYS = dt.datetime(2020, 1, 1, tzinfo=dt.UTC), 2_500
LABELLED_AXES = ("issue_type", "symptom", "root_cause", "fix_pattern", "stage", "component", "theme")
BATCH = 5_000


def read_texts() -> list[tuple[str, str]]:
    """(title, body) pairs to recombine."""
    if not REAL_TEXTS.exists():
        return [(record.title, record.summary) for _, record in read_records()[0]]
    texts = []
    for path in sorted(REAL_TEXTS.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                issue = json.loads(line)
                texts.append((issue["title"] or "", (issue["body"] or "").replace("\x00", "")[:20_000]))
    return texts


def build(size: int) -> None:
    """Fill the database with the codebook, the starter records and `size` recombined issues."""
    ensure_frameworks()
    load_codebook()
    load_starter()
    chance = random.Random(SEED)  # noqa: S311
    with transaction.atomic(), connection.cursor() as cursor:
        # As in kb.services.bulk: a queue of deferred checks would be searched anew for each row of history.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        _copy_issues(size, chance)
        _copy_labels(chance)
        _copy_fixes(chance)
    # Nobody else tells the planner here, where autovacuum is off.
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    ids = list(Issue.objects.values_list("pk", flat=True))
    for start in range(0, len(ids), BATCH):
        refresh_label_terms(issue_ids=ids[start : start + BATCH])
    rebuild_cause_links()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _copy_issues(size: int, chance: random.Random) -> None:
    texts = read_texts()
    repositories = list(Repository.objects.order_by("pk")[:25])
    columns = "repository_id, ref, url, kind, title, body, state, opened_at, closed_at, comment_count"
    rest = "host_labels, author_association, heading, summary, recognise, resolution, workaround, affected_versions"
    tail = "fixed_version, evidence, related_urls, read_extent, label_terms"
    with connection.cursor() as cursor, cursor.copy(f"COPY kb_issue ({columns}, {rest}, {tail}) FROM STDIN") as copy:
        for i in range(size):
            copy.write_row(_issue_row(i, texts, repositories, chance))


def _issue_row(
    i: int, texts: list[tuple[str, str]], repositories: list[Repository], chance: random.Random
) -> tuple[object, ...]:
    repository = repositories[min(int(chance.expovariate(0.25)), len(repositories) - 1)]
    ref = str(FIRST_REF + i)
    title, (_, body) = chance.choice(texts)[0], chance.choice(texts)
    opened = FIRST_DAY + dt.timedelta(minutes=chance.randrange(DAYS * 24 * 60))
    is_open = chance.random() < 0.25
    # Half are closed within three days, some after years.
    closed = None if is_open else opened + dt.timedelta(days=chance.lognormvariate(log(3), 2))
    kind = "pull_request" if chance.random() < 0.02 else "issue"
    state = "open" if is_open else "closed"
    comments = int(chance.expovariate(0.2))
    summary = f"{title} {body[:300]}" if chance.random() < 0.1 else ""
    return (
        repository.pk, ref, f"{repository.url}/issues/{ref}", kind, title, body, state, opened, closed,
        comments, [], "", title[:160] if summary else "", summary, [], "", "", [], "", "[]", [], "", "",
    )  # fmt: skip


def _made(**conditions: str) -> list[int]:
    """The recombined issues: curated records say when they were read, these do not."""
    return list(Issue.objects.filter(read_on=None, **conditions).order_by("pk").values_list("pk", flat=True))


def _skewed_labels(chance: random.Random) -> Iterator[tuple[int, int, int]]:
    nodes = {
        axis.code: (axis.pk, list(axis.nodes.filter(status="active").values_list("pk", flat=True)))
        for axis in Axis.objects.filter(scheme__slug="house")
    }
    for issue in _made():
        for code in LABELLED_AXES:
            axis, choices = nodes[code]
            if chance.random() < 0.85:
                yield issue, axis, choices[min(int(chance.expovariate(8 / len(choices))), len(choices) - 1)]


def _copy_labels(chance: random.Random) -> None:
    source = ensure_curated_source().pk
    rows = list(_skewed_labels(chance))
    with (
        connection.cursor() as cursor,
        cursor.copy("COPY kb_label (issue_id, axis_id, node_id, source_id, reason) FROM STDIN") as copy,
    ):
        for issue, axis, node in rows:
            copy.write_row((issue, axis, node, source, ""))


def _copy_fixes(chance: random.Random) -> None:
    fixed = [issue for issue in _made(state="closed") if chance.random() < 0.4]
    fixes = Fix.objects.bulk_create(
        Fix(
            url=f"https://github.com/example/bench/pull/{issue}",
            kind="pull_request",
            merged_on="2025-01-01",
            additions=int(chance.expovariate(0.02)),
            deletions=int(chance.expovariate(0.05)),
        )
        for issue in fixed
    )
    through = Issue.fixes.through
    through.objects.bulk_create(through(issue_id=i, fix_id=f.pk) for i, f in zip(fixed, fixes, strict=True))


def sizes() -> dict[str, int]:
    """How many rows the corpus has."""
    models = (Issue, Label, Fix, Node)
    return {model.__name__: model.objects.count() for model in models}
