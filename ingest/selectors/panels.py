"""The votes of imported label sets as panels, for the audit (`kb.audit.panels`). Everybody may see them."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from django.core.cache import cache
from django.db import connection
from django.db.models import Max, Q
from django.urls import reverse

from ingest.models import AnnotatorVote, ImportedAnswer, ImportedRow, ImportRun
from kb.audit.panels import NONE, Ints, LabelSet, Panel, Reader, merge_answers
from kb.models import Axis, Node, Source

KEPT_SECONDS = 24 * 3_600
NO_VOTES = "The data set holds the final labels only, not what each annotator said."
# What the audit reads of issues can change without an import: mirrors learn kinds and maintainers' labels.
STATE = """
SELECT f.source_id, count(*), max(r.id),
       sum(hashtext(i.kind || ' ' || array_to_string(i.host_labels, ',')))
FROM ingest_importedrow r
JOIN ingest_importedfile f ON f.id = r.file_id
JOIN kb_issue i ON i.id = r.issue_id
WHERE %(slug)s = '' OR f.source_id = (SELECT id FROM kb_source WHERE slug = %(slug)s)
GROUP BY f.source_id
"""
SHAPE = """
SELECT n.axis_id, max(v.annotator)
FROM ingest_annotatorvote v
JOIN ingest_importedrow r ON r.id = v.row_id
JOIN ingest_importedfile f ON f.id = r.file_id
JOIN kb_node n ON n.id = v.node_id
WHERE f.source_id = %s
GROUP BY n.axis_id
"""


class ImportedPanels:
    """Every study's labels that were imported row by row."""

    def list_sets(self, *, reader: Reader) -> Sequence[LabelSet]:
        """All of them; published sets are the same for every reader."""
        del reader
        return _sets("")

    def find_set(self, *, reader: Reader, slug: str) -> LabelSet | None:
        """The set whose source has this slug."""
        del reader
        sets = _sets(slug) if slug else []
        return sets[0] if sets else None

    def read_panel(self, *, reader: Reader, slug: str, axis: str) -> Panel:
        """The rows in the order of files and lines; statements: one each for rows, nodes, final answers and votes."""
        del reader
        return _panel(Source.objects.get(slug=slug), axis)


def _sets(slug: str) -> list[LabelSet]:
    with connection.cursor() as cursor:
        cursor.execute(STATE, {"slug": slug})
        rows = {source: (count, f"{count}:{last}:{facts}") for source, count, last, facts in cursor.fetchall()}
    if not rows:
        return []
    runs = dict(ImportRun.objects.filter(source__in=rows).values_list("source").annotate(last=Max("finished_at")))
    sources = (
        Source.objects.filter(pk__in=rows, kind=Source.Kind.STUDY).select_related("study__scheme").order_by("slug")
    )
    axes: dict[int, list[Axis]] = defaultdict(list)
    for axis in Axis.objects.filter(scheme__study__sources__in=sources).order_by("position", "pk").distinct():
        axes[axis.scheme_id].append(axis)
    sets: list[LabelSet] = []
    for source in sources:
        count, state = rows[source.pk]
        finished = runs.get(source.pk)
        state = f"{source.pk}:{state}:{finished.timestamp() if finished else 0}"
        scheme = getattr(source.study, "scheme", None)
        sets.append(_set(source, axes[scheme.pk] if scheme else [], count, state))
    return sets


def _set(source: Source, axes: list[Axis], items: int, state: str) -> LabelSet:
    def count_columns() -> dict[int, int]:
        with connection.cursor() as cursor:
            cursor.execute(SHAPE, [source.pk])
            return dict(cursor.fetchall())

    columns = cache.get_or_set(f"ingest:panel-columns:{state}", count_columns, KEPT_SECONDS) or {}
    ordered = sorted(axes, key=lambda axis: axis.pk not in columns)
    return LabelSet(
        slug=source.slug,
        name=source.name,
        kind="Published data set",
        axes=tuple((axis.code, axis.name) for axis in ordered),
        items=items,
        columns=max(columns.values(), default=0),
        trust=source.get_confidence_display().lower(),
        trust_note=source.trust_note,
        licence=source.licence,
        url=source.url,
        page=reverse("study", args=(source.study.slug,)) if source.study else "",
        state=state,
        no_votes="" if columns else NO_VOTES,
    )


def _panel(source: Source, axis: str) -> Panel:
    rows = list(
        ImportedRow.objects.filter(file__source=source)
        .order_by("file__name", "line", "pk")
        .values_list(
            "pk", "issue", "issue__repository__framework__name", "issue__kind", "issue__ref", "issue__repository",
            "issue__host_labels",
        )
    )  # fmt: skip
    nodes = list(
        Node.objects.filter(axis__scheme__study__sources=source, axis__code=axis)
        .order_by("position", "pk")
        .values_list("pk", "code", "parent__code")
    )
    ids, issues, frameworks, kinds, refs, repositories, labels = zip(*rows, strict=True) if rows else ((),) * 7
    names = [code for _, code, _ in nodes]
    # Siblings go by parent, else by what stands before the code's last point, else all of the axis are.
    families = [parent or code.rpartition(".")[0] or axis for _, code, parent in nodes]
    votes, finals = _answers(source, np.array(ids, dtype=np.int64), [pk for pk, *_ in nodes], names, axis)
    groups, group_of = np.unique(np.array(frameworks, dtype=str), return_inverse=True)
    return Panel(
        columns=tuple(f"Annotator {number}" for number in range(1, votes.shape[1] + 1)),
        answers=tuple(names),
        families=(*families, *(f"several of {axis}",) * (len(names) - len(families))),
        votes=votes,
        finals=finals,
        groups=np.asarray(group_of, dtype=np.int64),
        group_names=tuple(str(name) for name in groups),
        issues=np.array(issues, dtype=np.int64),
        kinds=np.array([Panel.KINDS.index(kind) for kind in kinds], dtype=np.int64),
        numbers=np.array([int(ref) if ref.isdecimal() else NONE for ref in refs], dtype=np.int64),
        repositories=np.array(repositories, dtype=np.int64),
        host_labels=tuple(map(tuple, labels)),
    )


def _answers(source: Source, ids: Ints, nodes: list[int], names: list[str], axis: str) -> tuple[Ints, Ints]:
    """Votes, items × columns, and finals, as places in `names`, to which joined answers are added."""
    of_axis = Q(row__file__source=source, node__axis__code=axis)
    cast = _columns_of(AnnotatorVote.objects.filter(of_axis).order_by(), "row", "annotator", "node")
    final = _columns_of(ImportedAnswer.objects.filter(of_axis).order_by(), "row", "node")
    order = np.argsort(ids)
    by_node = np.argsort(np.array(nodes, dtype=np.int64))

    def places(keys: Ints) -> Ints:
        return np.asarray(order[np.searchsorted(ids, keys, sorter=order)], dtype=np.int64)

    def answers(keys: Ints) -> Ints:
        return np.asarray(by_node[np.searchsorted(np.array(nodes), keys, sorter=by_node)], dtype=np.int64)

    width = int(cast[:, 1].max()) if len(cast) else 0
    votes, finals = np.full(len(ids) * width, NONE), np.full(len(ids), NONE)
    if len(cast):
        cells, merged = merge_answers(
            cells=places(cast[:, 0]) * width + cast[:, 1] - 1, given=answers(cast[:, 2]), names=names
        )
        votes[cells] = merged
    if len(final):
        cells, merged = merge_answers(cells=places(final[:, 0]), given=answers(final[:, 1]), names=names)
        finals[cells] = merged
    return votes.reshape(len(ids), width), finals


def _columns_of(rows: Any, *names: str) -> Ints:
    return np.array(list(rows.values_list(*names)), dtype=np.int64).reshape(-1, len(names))
