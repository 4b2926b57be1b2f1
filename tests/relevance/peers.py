"""The plain engines that search is measured beside: what one gets for little work over the same texts."""

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

import tantivy

DEPTH = 50
MOST_WORDS = 200
WORD = re.compile(r"\w+")
MEMORY = 100_000_000


@dataclass(frozen=True)
class Text:
    """An issue as the peers index it: the host's title and ours; the host's text and all of ours."""

    url: str
    title: str
    body: str


class PlainTantivy:
    """tantivy with its English stemmer: any word of title or body, both of weight 1, BM25."""

    name = "tantivy"

    def __init__(self, texts: Sequence[Text]) -> None:
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("url", stored=True, tokenizer_name="raw")
        for field in ("title", "body"):
            builder.add_text_field(field, tokenizer_name="en_stem")
        self._index = tantivy.Index(builder.build())
        writer = self._index.writer(MEMORY, 1)
        for text in texts:
            writer.add_document(tantivy.Document(url=text.url, title=text.title, body=text.body))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()

    def search(self, query: str) -> list[str]:
        """Addresses, best first."""
        words = " ".join(WORD.findall(query)[:MOST_WORDS])
        if not words:
            return []
        parsed, _ = self._index.parse_query_lenient(words, ["title", "body"])
        searcher = self._index.searcher()
        return [str(searcher.doc(address)["url"][0]) for _, address in searcher.search(parsed, DEPTH).hits]


class PlainFts5:
    """SQLite FTS5 with its Porter stemmer: any word of title or body, bm25()."""

    name = "FTS5"

    def __init__(self, texts: Sequence[Text]) -> None:
        self._database = sqlite3.connect(":memory:")
        self._database.execute(
            "CREATE VIRTUAL TABLE texts USING fts5(url UNINDEXED, title, body, tokenize='porter unicode61')"
        )
        rows = ((text.url, text.title, text.body) for text in texts)
        self._database.executemany("INSERT INTO texts VALUES (?, ?, ?)", rows)

    def search(self, query: str) -> list[str]:
        """Addresses, best first."""
        words = WORD.findall(query)[:MOST_WORDS]
        if not words:
            return []
        any_word = " OR ".join(f'"{word}"' for word in words)
        sql = "SELECT url FROM texts WHERE texts MATCH ? ORDER BY bm25(texts) LIMIT ?"
        return [url for (url,) in self._database.execute(sql, (any_word, DEPTH))]
