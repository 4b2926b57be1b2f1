"""Builds what engines index from the rows that `document_rows` reads, in plain Python.

How words are made is `normalise`, how a report is taken apart `sections`, what a row of results shows `cards`.
Secrets that people pasted go first: an index that does not hold one cannot find it, nor those who pasted one.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from kb.core.search.cards import Card, CardAnswer, CardFix, CardNode, cut, first_sentences, to_json
from kb.core.search.chinese import parts as parts_of_run
from kb.core.search.error_signals import signals_of_lines
from kb.core.search.features import Merits, pack
from kb.core.search.keys import SIGNAL
from kb.core.search.normalise import joined_words, run_words, words, written
from kb.core.search.sections import Sections, split, without_signs
from kb.core.search.values import Document
from kb.core.secrets import mask, without_our_words
from kb.filters.filter_types import Numbers, Values
from kb.models import Fix, Source
from kb.search.document_rows import COLUMN_FILTERS, FixRow, Rows, read_rows
from kb.search.vocabulary import SUGGESTED, TRUSTED, Vocabulary

BATCH = 500
# At most so many words of each part of an issue, and the characters that hold them: what comes later tells little.
MOST_WORDS = {"title": 80, "ours": 1_000, "faces": 200, "text": 600, "telling": 400, "log": 1_500}
TEXT_CHARACTERS, LOG_CHARACTERS = 5_000, 12_000
# How often a part's words count: a title says in ten words what a log says in a thousand.
TIMES = {"title": 2, "ours": 2, "faces": 1, "text": 1, "telling": 1, "log": 1}
REPEATED = tuple(name for name, times in TIMES.items() for _ in range(times))
CARD_START, CARD_TEXT, CARD_FIX = 300, 1_500, 260
TRUST = {kind.value: place for place, kind in enumerate(Source.Kind)}
DAY = 86_400


def documents(issue_ids: Sequence[int]) -> Iterator[Document]:
    """The documents of these issues, a batch at a time; an issue that is no more is left out."""
    vocabulary = Vocabulary()
    for start in range(0, len(issue_ids), BATCH):
        rows = read_rows(list(issue_ids[start : start + BATCH]), vocabulary)
        yield from make_documents(rows, vocabulary)


def documents_and_gone(issue_ids: Sequence[int]) -> tuple[list[Document], list[int]]:
    """The documents of these issues, and the ids of those that are no more."""
    built = list(documents(issue_ids))
    return built, sorted(set(issue_ids) - {document.id for document in built})


def make_documents(issues: Sequence[Rows], vocabulary: Vocabulary) -> list[Document]:
    """The documents of some issues, from their rows alone.

    Each step is taken for all of them before the next: what it looks words up in then stays in the processor's
    cache, which saves a quarter of the time.
    """
    issues = [_without_secrets(rows) for rows in issues]
    sections = [split(rows.issue.body) for rows in issues]
    parts = [_parts(rows, of_body, vocabulary) for rows, of_body in zip(issues, sections, strict=True)]
    nodes = [_node_names(rows, vocabulary) for rows in issues]
    features = [_features(rows, part, names) for rows, part, names in zip(issues, parts, nodes, strict=True)]
    cards = [to_json(_card(rows, of_body, vocabulary)) for rows, of_body in zip(issues, sections, strict=True)]
    return [
        Document(
            id=rows.issue.id,
            texts={"title": part["title"], "all": " ".join([*(part[name] for name in REPEATED), *names])},
            values=_values(rows, of_body, vocabulary),
            numbers=_numbers(rows),
            card=card,
            features=feature,
        )
        for rows, of_body, part, names, feature, card in zip(
            issues, sections, parts, nodes, features, cards, strict=True
        )
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
    # The fix line comes last: who searches has the fault, and not yet its fix.
    ours = words("\n".join((issue.summary, *issue.recognise, issue.resolution, issue.workaround, issue.fix_line)))
    for node in _trusted_nodes(rows, vocabulary):
        ours += vocabulary.nodes[node].words
    theirs = {
        "title": f"{issue.title}\n{issue.heading}", "faces": "\n".join(issue.also_seen),
        "text": sections.prose[:TEXT_CHARACTERS], "telling": "\n".join(sections.telling),
        "log": sections.log[:LOG_CHARACTERS],
    }  # fmt: skip
    return {
        "ours": " ".join(ours[: MOST_WORDS["ours"]]),
        **{name: joined_words(without_our_words(text), MOST_WORDS[name]) for name, text in theirs.items()},
    }


def _face(text: str) -> list[str]:
    """The words of another face of a fault, cut as a question is: so both have the same words."""
    runs = chain.from_iterable(map(parts_of_run, written(text)))
    return list(chain.from_iterable(map(run_words, runs)))[: MOST_WORDS["faces"]]


def _trusted_nodes(rows: Rows, vocabulary: Vocabulary) -> set[int]:
    return {node for source, node in rows.labels if vocabulary.sources[source].kind in TRUSTED}


def _node_names(rows: Rows, vocabulary: Vocabulary) -> list[str]:
    """What stands for the nodes with which the issue is labelled, each once."""
    names: set[str] = set()
    for node in _trusted_nodes(rows, vocabulary):
        names.update(vocabulary.nodes[node].names)
    return sorted(names)


def _features(rows: Rows, parts: Mapping[str, str], nodes: Sequence[str]) -> bytes:
    return pack(
        title=parts["title"],
        ours=parts["ours"],
        text=parts["text"],
        telling=parts["telling"],
        faces=[" ".join(_face(text)) for text in (*rows.issue.also_seen, *rows.issue.recognise)],
        framework=rows.repository.framework,
        merits=Merits(
            curated=bool(rows.issue.summary),
            resolved=bool(rows.issue.resolution),
            fix=bool(rows.fixes),
            readers=rows.issue.reactions or 0,
        ),
        nodes=nodes,
    )


def _values(rows: Rows, sections: Sections, vocabulary: Vocabulary) -> dict[str, tuple[str, ...]]:
    """The strings that filters ask for, by filter key; a key without a value is left out."""
    values: dict[str, tuple[str, ...]] = {
        "framework": (rows.repository.framework,),
        "repository": (rows.repository.full_name,),
        "has_fix": ("true",) if rows.fixes else ("false",),
    }
    signals = signals_of_lines((rows.issue.title, *rows.issue.recognise, *sections.telling))
    if signals:
        values[SIGNAL] = signals
    sizes = [fix.small for fix in rows.fixes if fix.small is not None]
    if sizes:
        values["small_fix"] = ("true",) if any(sizes) else ("false",)
    for (key, declared), read in zip(COLUMN_FILTERS.items(), rows.issue.filtered, strict=True):
        if isinstance(declared, Values) and (indexed := declared.indexed(read)):
            values[key] = indexed
    labelled: dict[str, list[str]] = {}
    for source, node in rows.labels:
        for key, some in vocabulary.label_values(source, node):
            if key not in values:
                values[key] = some
            elif values[key] != some:
                labelled.setdefault(key, [*values[key]]).extend(some)
    for key, several in labelled.items():
        values[key] = tuple(sorted(set(several)))
    return values


def _numbers(rows: Rows) -> dict[str, int]:
    """The numbers that filters and orders ask for; what is not known is left out.

    `lines` is the smallest fix's size, so that `lines` up to 10 means what `small_fix` means; `files` is the least that
    a fix touches. `opened_at` and `open_seconds` are for orders, where days are too coarse.
    """
    issue = rows.issue
    numbers: dict[str, int] = {}
    for (key, declared), read in zip(COLUMN_FILTERS.items(), issue.filtered, strict=True):
        if isinstance(declared, Numbers) and read is not None:
            numbers[key] = declared.indexed(read)
    lines = [fix.lines for fix in rows.fixes if fix.lines is not None]
    if lines:
        numbers["lines"] = min(lines)
    files = [fix.files for fix in rows.fixes if fix.files is not None]
    if files:
        numbers["files"] = min(files)
    if issue.opened_at:
        numbers["opened_at"] = int(issue.opened_at.timestamp())
    if issue.opened_at and issue.closed_at:
        spent = issue.closed_at - issue.opened_at
        numbers["open_seconds"] = spent.days * DAY + spent.seconds
    return numbers


def _card(rows: Rows, sections: Sections, vocabulary: Vocabulary) -> Card:
    issue, repository = rows.issue, rows.repository
    name = repository.short_name(issue.ref)
    shown = vocabulary.shown(node for source, node in rows.labels if vocabulary.sources[source].kind != SUGGESTED)
    sources = {vocabulary.sources[pk] for pk, _ in rows.labels}
    # The other faces are written to be found, not to be read.
    ours = (issue.summary, *issue.recognise, issue.resolution)
    prose = without_signs(sections.prose)
    return Card(
        id=issue.id,
        public_id=issue.public_id,
        url=issue.url,
        page=repository.page(issue.ref, issue.public_id),
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
        fix_line=issue.fix_line,
        certainty=issue.certainty,
        answered_by=_answered_by(rows),
        resolution=first_sentences(issue.resolution, CARD_FIX),
        workaround=first_sentences(issue.workaround, CARD_FIX),
        fixed_version=issue.fixed_version,
        symptoms=tuple(shown.get("symptom", ())),
        causes=tuple(shown.get("root_cause", ())),
        patterns=tuple(shown.get("fix_pattern", ())),
        fix=_card_fix(rows.fixes[0]) if rows.fixes else None,
        more_fixes=max(0, len(rows.fixes) - 1),
        suggested=() if "symptom" in shown else _suggested_symptoms(rows, vocabulary),
        sources=tuple(sorted(sources, key=lambda source: (TRUST[source.kind], source.slug))),
        text=cut("\n".join(text for text in (*ours, prose) if text), CARD_TEXT),
    )


def _suggested_symptoms(rows: Rows, vocabulary: Vocabulary) -> tuple[CardNode, ...]:
    suggested = [node for source, node in rows.labels if vocabulary.sources[source].kind == SUGGESTED]
    return tuple(vocabulary.shown(suggested).get("symptom", ()))


def _answered_by(rows: Rows) -> CardAnswer | None:
    if rows.answer is None:
        return None
    answer, repository = rows.answer
    page = repository.page(answer.ref, answer.public_id)
    return CardAnswer(page, repository.short_name(answer.ref), answer.heading, answer.fix_line)


def _card_fix(fix: FixRow) -> CardFix:
    return CardFix(fix.url, Fix.name_of(fix.url, fix.kind), fix.lines, fix.small, fix.merged_on)
