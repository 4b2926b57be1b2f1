"""Builds what engines index from the database's rows: a few statements per batch, then plain Python.

How words are made is `normalise`, how a report is taken apart `sections`, what a row of results shows `cards`.
Secrets that people pasted go first: an index that does not hold one cannot find it, nor those who pasted one.
Whatever is read here must also be watched by the triggers of migration 0005.
"""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, TypeVar

from django.db import connection

from kb.core.secrets import mask, without_our_words
from kb.models import Fix, Source
from kb.search.cards import Card, CardFix, cut, to_json
from kb.search.features import Merits, pack
from kb.search.normalise import joined_words, words
from kb.search.sections import Sections, split, without_signs
from kb.search.values import Document
from kb.search.vocabulary import SUGGESTED, TRUSTED, KnownRepository, Vocabulary

BATCH = 500
# At most so many words of each part of an issue, and the characters that hold them: what comes later tells little.
MOST_WORDS = {"title": 80, "ours": 1_000, "text": 600, "telling": 400, "log": 1_500}
TEXT_CHARACTERS, LOG_CHARACTERS = 5_000, 12_000
# How often a part's words count: a title says in ten words what a log says in a thousand.
TIMES = {"title": 2, "ours": 2, "text": 1, "telling": 1, "log": 1}
REPEATED = tuple(name for name, times in TIMES.items() for _ in range(times))
BODY_CHARACTERS = 65_536 + 4_096  # more than is indexed, so that a secret at the end is read whole and known as one
CARD_START, CARD_TEXT = 300, 1_500
TRUST = {kind.value: place for place, kind in enumerate(Source.Kind)}
EPOCH = dt.date(1970, 1, 1).toordinal()
DAY = 86_400

ISSUES = """
SELECT id, repository_id, ref, url, kind, title, left(body, %s), state, opened_at, closed_at, comment_count,
    reaction_count, heading, summary, recognise, resolution, workaround, is_hard
FROM kb_issue WHERE id = ANY (%s) ORDER BY id
"""
LABELS = """
SELECT issue_id, array_agg(node_id), array_agg(source_id) FROM kb_label WHERE issue_id = ANY (%s) GROUP BY issue_id
"""
FIXES = """
SELECT link.issue_id, f.url, f.kind, f.lines_changed, f.files_changed, f.is_small
FROM kb_issue_fixes link JOIN kb_fix f ON f.id = link.fix_id
WHERE link.issue_id = ANY (%s) ORDER BY f.merged_on DESC NULLS LAST, f.url
"""


T = TypeVar("T")


class IssueRow(NamedTuple):
    """An issue's columns, as `ISSUES` reads them."""

    id: int
    repository_id: int
    ref: str
    url: str
    kind: str
    title: str
    body: str
    state: str
    opened_at: dt.datetime | None
    closed_at: dt.datetime | None
    comments: int | None
    reactions: int | None
    heading: str
    summary: str
    recognise: list[str]
    resolution: str
    workaround: str
    is_hard: bool | None


class FixRow(NamedTuple):
    """A fix's columns, as `FIXES` reads them."""

    url: str
    kind: str
    lines: int | None
    files: int | None
    small: bool | None


class Rows(NamedTuple):
    """An issue with everything that its document is made of; labels are pairs of source and node."""

    issue: IssueRow
    repository: KnownRepository
    labels: tuple[tuple[int, int], ...]
    fixes: tuple[FixRow, ...]


def documents(issue_ids: Sequence[int], vocabulary: Vocabulary | None = None) -> Iterator[Document]:
    """The documents of these issues, a batch at a time; an issue that is no more is left out."""
    vocabulary = vocabulary or Vocabulary()
    ids = iter(issue_ids)
    while batch := list(islice(ids, BATCH)):
        yield from make_documents(_read(batch, vocabulary), vocabulary)


def documents_and_gone(issue_ids: Sequence[int]) -> tuple[list[Document], list[int]]:
    """The documents of these issues, and the ids of those that are no more."""
    found = list(documents(issue_ids))
    return found, sorted(set(issue_ids) - {document.id for document in found})


def _read(ids: list[int], vocabulary: Vocabulary) -> list[Rows]:
    """The rows of the issues in few statements, in the order of their ids."""
    labels: dict[int, tuple[tuple[int, int], ...]] = {}
    fixes: dict[int, list[FixRow]] = {}
    with connection.cursor() as cursor:
        cursor.execute(ISSUES, [BODY_CHARACTERS, ids])
        issues = [IssueRow(*row) for row in cursor.fetchall()]
        cursor.execute(LABELS, [ids])
        for pk, nodes, sources in cursor.fetchall():
            labels[pk] = tuple(zip(sources, nodes, strict=True))
        cursor.execute(FIXES, [ids])
        for pk, *fix in cursor.fetchall():
            fixes.setdefault(pk, []).append(FixRow(*fix))
    # What was added since the vocabulary was read names its issues in the outbox, so that they come again.
    known = vocabulary.repositories
    return [
        Rows(
            issue,
            known[issue.repository_id],
            tuple(pair for pair in labels.get(issue.id, ()) if vocabulary.knows(*pair)),
            tuple(fixes.get(issue.id, ())),
        )
        for issue in issues
        if issue.repository_id in known
    ]


def make_documents(issues: Sequence[Rows], vocabulary: Vocabulary) -> list[Document]:
    """The documents of some issues. Pure, given their rows.

    Each step is taken for all of them before the next: what it looks words up in then stays in the processor's
    cache, which saves a quarter of the time.
    """
    issues = [_without_secrets(rows) for rows in issues]
    sections = [split(rows.issue.body) for rows in issues]
    parts = [_parts(rows, some, vocabulary) for rows, some in zip(issues, sections, strict=True)]
    features = [_features(rows, some) for rows, some in zip(issues, parts, strict=True)]
    cards = [to_json(_card(rows, some, vocabulary)) for rows, some in zip(issues, sections, strict=True)]
    return [
        Document(
            id=rows.issue.id,
            texts={"title": part["title"], "all": " ".join([part[name] for name in REPEATED])},
            values=_values(rows, vocabulary),
            numbers=_numbers(rows),
            card=card,
            features=feature,
        )
        for rows, part, feature, card in zip(issues, parts, features, cards, strict=True)
    ]


def _without_secrets(rows: Rows) -> Rows:
    issue = rows.issue
    title, body = mask(issue.title).text, mask(issue.body).text
    if title is issue.title and body is issue.body:
        return rows
    return rows._replace(issue=issue._replace(title=title, body=body))


def _parts(rows: Rows, sections: Sections, vocabulary: Vocabulary) -> dict[str, str]:
    """The words of each part of an issue, joined by blanks."""
    issue = rows.issue
    ours = words("\n".join((issue.summary, *issue.recognise, issue.resolution, issue.workaround)))
    for node in {node for source, node in rows.labels if vocabulary.sources[source].kind in TRUSTED}:
        ours += vocabulary.nodes[node].words
    theirs = {
        "title": f"{issue.title}\n{issue.heading}", "text": sections.prose[:TEXT_CHARACTERS],
        "telling": "\n".join(sections.telling), "log": sections.log[:LOG_CHARACTERS],
    }  # fmt: skip
    return {
        "ours": " ".join(ours[: MOST_WORDS["ours"]]),
        **{name: joined_words(without_our_words(text), MOST_WORDS[name]) for name, text in theirs.items()},
    }


def _features(rows: Rows, parts: Mapping[str, str]) -> bytes:
    return pack(
        title=parts["title"],
        ours=parts["ours"],
        text=parts["text"],
        telling=parts["telling"],
        framework=rows.repository.framework,
        merits=Merits(
            curated=bool(rows.issue.summary),
            resolved=bool(rows.issue.resolution),
            fix=bool(rows.fixes),
            readers=rows.issue.reactions or 0,
        ),
    )


def _values(rows: Rows, vocabulary: Vocabulary) -> dict[str, tuple[str, ...]]:
    """The strings that filters ask for, by filter key; a key without a value is left out."""
    issue = rows.issue
    values: dict[str, tuple[str, ...]] = {
        "framework": (rows.repository.framework,),
        "repository": (rows.repository.full_name,),
        "state": (issue.state,),
        "kind": (issue.kind,),
        "has_fix": (_yes(bool(rows.fixes)),),
        "curated": (_yes(bool(issue.summary)),),
        "resolved": (_yes(bool(issue.resolution)),),
    }
    if issue.opened_at:
        values["year"] = (str(issue.opened_at.year),)
    if sizes := _known(fix.small for fix in rows.fixes):
        values["small_fix"] = (_yes(any(sizes)),)
    if issue.is_hard is not None:
        values["hard"] = (_yes(issue.is_hard),)
    labelled: dict[str, list[str]] = {}
    for source, node in rows.labels:
        for key, some in vocabulary.label_values(source, node):
            if key not in values:
                values[key] = some
            elif values[key] != some:
                labelled.setdefault(key, [*values[key]]).extend(some)
    values.update((key, tuple(sorted(set(some)))) for key, some in labelled.items())
    return values


def _numbers(rows: Rows) -> dict[str, int]:
    """The numbers that filters and orders ask for; what is not known is left out.

    `lines` is the smallest fix's size, so that `lines` up to 10 means what `small_fix` means; `files` is the least that
    a fix touches. `opened_at` and
    `open_seconds` are for orders, where days are too coarse.
    """
    issue = rows.issue
    opened, closed = issue.opened_at, issue.closed_at
    spent = (closed - opened) if opened and closed else None
    numbers = {
        "opened": opened.toordinal() - EPOCH if opened else None,
        "closed": closed.toordinal() - EPOCH if closed else None,
        "lines": min(_known(fix.lines for fix in rows.fixes), default=None),
        "files": min(_known(fix.files for fix in rows.fixes), default=None),
        "comments": issue.comments,
        "reactions": issue.reactions,
        "days": None if spent is None else spent.days,
        "opened_at": int(opened.timestamp()) if opened else None,
        "open_seconds": None if spent is None else spent.days * DAY + spent.seconds,
    }
    return {key: number for key, number in numbers.items() if number is not None}


def _card(rows: Rows, sections: Sections, vocabulary: Vocabulary) -> Card:
    issue, repository = rows.issue, rows.repository
    name = repository.short_name(issue.ref)
    suggested = [node for source, node in rows.labels if vocabulary.sources[source].kind == SUGGESTED]
    shown = vocabulary.shown(node for source, node in rows.labels if vocabulary.sources[source].kind != SUGGESTED)
    sources = {vocabulary.sources[pk] for pk, _ in rows.labels}
    ours = (issue.summary, *issue.recognise, issue.resolution)
    prose = without_signs(sections.prose)
    return Card(
        id=issue.id,
        url=issue.url,
        page=repository.page(issue.ref),
        name=name,
        title=issue.heading or issue.title or name,
        framework=repository.framework,
        framework_name=repository.framework_name,
        repository=repository.full_name,
        kind=issue.kind,
        state=issue.state,
        opened_at=issue.opened_at,
        closed_at=issue.closed_at,
        comments=issue.comments,
        curated=bool(issue.summary),
        resolved=bool(issue.resolution),
        start=cut(issue.summary or prose, CARD_START),
        symptoms=tuple(shown.get("symptom", ())),
        causes=tuple(shown.get("root_cause", ())),
        patterns=tuple(shown.get("fix_pattern", ())),
        fix=_card_fix(rows.fixes[0]) if rows.fixes else None,
        more_fixes=max(0, len(rows.fixes) - 1),
        suggested=tuple(() if "symptom" in shown else vocabulary.shown(suggested).get("symptom", ())),
        sources=tuple(sorted(sources, key=lambda source: (TRUST[source.kind], source.slug))),
        text=cut("\n".join(text for text in (*ours, prose) if text), CARD_TEXT),
    )


def _card_fix(fix: FixRow) -> CardFix:
    return CardFix(fix.url, Fix.name_of(fix.url, fix.kind), fix.lines, fix.small)


def _yes(value: bool) -> str:
    return "true" if value else "false"


def _known(found: Iterable[T | None]) -> list[T]:
    return [value for value in found if value is not None]
