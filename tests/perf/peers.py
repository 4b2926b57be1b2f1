"""What search is measured against, in the same run: tantivy alone, SQLite's FTS5, and Datasette over the same file.

All of them are asked for the best 20, the number of matches and the counts of every facet.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlencode

import tantivy
from tantivy import Occur, Query

from kb.core.search.backend import EVERYTHING
from kb.core.search.language import parse
from kb.core.search.normalise import words
from kb.core.search.plan import STOP_WORDS
from kb.core.search.tantivy import folder as folders
from kb.core.search.tantivy.schema import fingerprint
from kb.core.search.values import Document
from kb.search.backends.fields import FIELDS
from kb.search.groups import GROUP_LABELS
from kb.search.request import BOX_KEYS
from tests.perf.timing import Ask

SHOWN = 20
FACETS = tuple(GROUP_LABELS)


def looked_for(query: str) -> tuple[list[str], dict[str, list[str]]]:
    """The words and the filters of a query string; a peer knows nothing of the box's language."""
    asked = {key: found[0] for key, found in parse_qs(query).items()}
    found = [word for word in dict.fromkeys(words(parse(asked.get("q", ""), BOX_KEYS).words)) if word not in STOP_WORDS]
    return found, {key: value.split(",") for key, value in asked.items() if key in FACETS}


def raw_tantivy(root: Path) -> Ask:
    """The same index, any of the words, one pass that counts all groups."""
    index = tantivy.Index.open(str(folders.live(root, fingerprint(FIELDS)) / folders.ROWS))
    searcher, schema = index.searcher(), index.schema

    def ask(query: str) -> int:
        found, filters = looked_for(query)
        any_word = [(Occur.Should, Query.term_query(schema, EVERYTHING, word)) for word in found]
        parts = [(Occur.Must, Query.boolean_query(any_word) if any_word else Query.all_query())]
        for key, values in filters.items():
            each = [(Occur.Should, Query.term_query(schema, key, value)) for value in values]
            parts.append((Occur.Must, Query.boolean_query(each)))
        asked = Query.boolean_query(parts)
        best = searcher.search(asked, limit=SHOWN)
        counted = searcher.aggregate(asked, {key: {"terms": {"field": key, "size": 1_000}} for key in FACETS})
        return len([searcher.doc(address) for _, address in best.hits]) + len(counted)

    return ask


def write_sqlite(file: Path, chunks: Iterable[list[Document]]) -> None:
    """The same words in a table with a full-text index; of several codes of one axis, each issue keeps the first."""
    columns = ", ".join(FACETS)
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA journal_mode = OFF")
        database.execute(f"CREATE TABLE issues (id INTEGER PRIMARY KEY, title TEXT, text TEXT, {columns})")
        insert = f"INSERT INTO issues VALUES (?, ?, ?, {', '.join('?' * len(FACETS))})"  # noqa: S608
        for chunk in chunks:
            database.executemany(insert, map(_row, chunk))
        for key in FACETS:
            database.execute(f"CREATE INDEX by_{key} ON issues ({key})")
        database.execute(
            "CREATE VIRTUAL TABLE issues_fts USING fts5(title, text, content='issues', content_rowid='id')"
        )
        database.execute("INSERT INTO issues_fts (issues_fts) VALUES ('rebuild')")
        database.execute("ANALYZE")


def _row(document: Document) -> tuple[object, ...]:
    firsts = (next(iter(document.values.get(key, ())), None) for key in FACETS)
    return (document.id, document.texts["title"], document.texts[EVERYTHING], *firsts)


def sqlite(file: Path) -> Ask:
    """FTS5, any of the words; matches are written down once and counted from there."""
    database = sqlite3.connect(f"file:{file}?mode=ro", uri=True, isolation_level=None)

    def ask(query: str) -> int:
        found, filters = looked_for(query)
        match = " OR ".join(f'"{word}"' for word in found)
        conditions = [f"{key} IN ({', '.join('?' * len(values))})" for key, values in filters.items()]
        values = [value for some in filters.values() for value in some]
        source = "issues_fts JOIN issues ON id = issues_fts.rowid" if match else "issues"
        where = " AND ".join([*(["issues_fts MATCH ?"] if match else []), *conditions]) or "1"
        given = [*([match] if match else []), *values]
        score = "bm25(issues_fts)" if match else "-id"
        columns = ", ".join(f"issues.{key}" for key in FACETS)
        database.execute("DROP TABLE IF EXISTS temp.found")
        database.execute(
            f"CREATE TEMP TABLE found AS SELECT id, {score} AS score, {columns} FROM {source} WHERE {where}",  # noqa: S608
            given,
        )
        statements = [f"SELECT id FROM found ORDER BY score LIMIT {SHOWN}", "SELECT count(*) FROM found"]  # noqa: S608
        statements += [f"SELECT {key}, count(*) FROM found GROUP BY 1" for key in FACETS]  # noqa: S608
        return sum(len(database.execute(statement).fetchall()) for statement in statements)

    return ask


def datasette_addresses(queries: Iterable[str]) -> Iterator[str]:
    """The query strings of Datasette's table page; it wants all words, which is quicker than any of them."""
    for query in queries:
        found, filters = looked_for(query)
        asked = [("_size", str(SHOWN)), *(("_facet", key) for key in FACETS)]
        asked += [("_search", " ".join(found))] if found else []
        asked += [
            (f"{key}__in", json.dumps(values)) if len(values) > 1 else (key, values[0])
            for key, values in filters.items()
        ]
        yield urlencode(asked)
