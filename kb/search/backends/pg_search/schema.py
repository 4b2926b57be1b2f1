"""The tables of this engine, and how a document becomes one of their rows.

They are no migration's business: only this engine needs them, and it makes them anew with every rebuild. `VERSION`
goes up whenever the same document would be kept differently: tables of another version are not read.
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

from kb.core.search.backend import FIELD_WEIGHTS, HELD
from kb.core.search.values import Document
from kb.search.backends.fields import INDEXED_KEYS, NUMBER_KEYS

VERSION = 5
# Tables under construction are called so, and afterwards lose the ending.
ROWS, WORDS, NEXT = "kb_searchrow", "kb_searchword", "_next"
# Most values in one column, as `key=value`: counted together in half the time, and PostgreSQL takes 32 columns at most.
CODES = "codes"
APART = (
    "node", "framework", "repository", "state", "kind", "year", "has_fix", "has_workaround", "small_fix", "hard",
    "curated", "resolved", "source", "signal",
)  # fmt: skip
IN_CODES = tuple(key for key in INDEXED_KEYS if key not in APART)
LISTS = (*(key for key in INDEXED_KEYS if key in APART), HELD, CODES)
# What the orders go by, greatest first; none may be null, so that pg_search can find the first ones by itself.
CURATED, OPENED, COMMENTS, QUICKNESS = "by_curated", "by_opened", "by_comments", "by_quickness"
ORDERS = (CURATED, OPENED, COMMENTS, QUICKNESS)
UNKNOWN = -(2**62)
COLUMNS = ("id", *FIELD_WEIGHTS, *LISTS, *NUMBER_KEYS, *ORDERS, "card", "features")
# Texts are split at blanks and nothing else is done to them.
TOKENIZER = "pdb.whitespace('lowercase=false', 'remove_long=65000')"
# Every statement opens every segment, and indexes anew in memory what lies in a mutable one.
OPTIONS = "key_field = 'id', mutable_segment_rows = 0, target_segment_count = 1"


@dataclass(frozen=True)
class Manifest:
    """What tables were made with, and up to which issue they are filled; kept as the comment on the table."""

    fingerprint: str
    last_id: int = 0

    def written(self) -> str:
        """As text."""
        return json.dumps(asdict(self))


def read_manifest(text: str | None) -> Manifest | None:
    """What the comment says; None when it says nothing of the kind."""
    try:
        return Manifest(**json.loads(text or ""))
    except (ValueError, TypeError):
        return None


def fingerprint() -> str:
    """Stands for everything that decides how documents are kept."""
    described = repr((VERSION, COLUMNS, IN_CODES, TOKENIZER, OPTIONS))
    return hashlib.sha256(described.encode()).hexdigest()[:12]


def make_tables(ending: str) -> str:
    """The statement that makes the tables, without the search index."""
    columns = [
        "id bigint PRIMARY KEY",
        *(f'"{name}" text NOT NULL' for name in FIELD_WEIGHTS),
        *(f'"{name}" text[] NOT NULL' for name in LISTS),
        *(f'"{name}" bigint' for name in NUMBER_KEYS),
        *(f'"{name}" bigint NOT NULL' for name in ORDERS),
        "card text NOT NULL",
        "features bytea NOT NULL",
    ]
    # "C": words that start so lie together in the primary key.
    words = 'word text COLLATE "C" PRIMARY KEY, documents integer NOT NULL'
    return f"CREATE TABLE {ROWS}{ending} ({', '.join(columns)}); CREATE TABLE {WORDS}{ending} ({words})"


def make_index(ending: str) -> str:
    """The statement that makes the search index of full tables."""
    columns = [
        "id",
        *(f'("{name}"::{TOKENIZER})' for name in FIELD_WEIGHTS),
        *(f'("{name}"::pdb.literal)' for name in LISTS),
        *(f'"{name}"' for name in (*NUMBER_KEYS, *ORDERS)),
    ]
    return (
        f"CREATE INDEX IF NOT EXISTS {ROWS}{ending}_bm25 ON {ROWS}{ending} "
        f"USING bm25 ({', '.join(columns)}) WITH ({OPTIONS})"
    )


def drop_tables(ending: str) -> str:
    """The statement that drops the tables."""
    return f"DROP TABLE IF EXISTS {ROWS}{ending}, {WORDS}{ending}"


def rename_tables() -> str:
    """The statements that put the new tables in the place of those in use."""
    tables = [f"ALTER TABLE {name}{NEXT} RENAME TO {name}" for name in (ROWS, WORDS)]
    names = (f"{ROWS}{{}}_bm25", f"{ROWS}{{}}_pkey", f"{WORDS}{{}}_pkey")
    indexes = [f"ALTER INDEX {name.format(NEXT)} RENAME TO {name.format('')}" for name in names]
    return "; ".join((drop_tables(""), *tables, *indexes))


def row(document: Document) -> tuple[Any, ...]:
    """The document as a row of COLUMNS."""
    unknown = (set(document.values) - {*INDEXED_KEYS, HELD}) | (set(document.texts) - set(FIELD_WEIGHTS))
    if unknown:
        raise ValueError(f"No such field in the index: {', '.join(sorted(unknown))}.")
    values = {key: list(dict.fromkeys(held)) for key, held in document.values.items()}
    codes: list[str] = []
    for key in IN_CODES:
        codes += [f"{key}={value}" for value in values.get(key, ())]
    numbers = document.numbers
    orders = {
        CURATED: int("true" in values.get("curated", ())),
        OPENED: numbers.get("opened_at", UNKNOWN),
        COMMENTS: numbers.get("comments", UNKNOWN),
        QUICKNESS: -numbers["open_seconds"] if "open_seconds" in numbers else UNKNOWN,
    }
    return (
        document.id,
        *(document.texts.get(name, "") for name in FIELD_WEIGHTS),
        *(codes if key == CODES else values.get(key, []) for key in LISTS),
        *(numbers.get(key) for key in NUMBER_KEYS),
        *(orders[key] for key in ORDERS),
        document.card,
        document.features,
    )
