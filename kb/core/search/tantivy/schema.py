"""The fields of the tantivy index, and how a document becomes one of its rows.

`VERSION` goes up whenever the same document would be indexed differently: an index of another version is not read.
"""

import hashlib
from base64 import b64encode

import orjson
import tantivy
from tantivy import SchemaBuilder, TextAnalyzerBuilder, Tokenizer

from kb.core.search.backend import FIELD_WEIGHTS, HELD, Prepared
from kb.core.search.keys import CODE_KEYS, Fields
from kb.core.search.values import Document

VERSION = 6
WORDS = "words"
# All codes and kinds of sources in one column, as `key=value`: counted together in half the time.
CODES = "codes"
IN_CODES = (*(key for key in CODE_KEYS if key != "node"), "trust")
# What the orders go by. Each holds a whole order in one number where 64 bits suffice for it.
CURATED_FIRST, NEWEST, COMMENTS, QUICKNESS = "by_curated", "by_newest", "by_comments", "by_quickness"

ID_BITS, TIME_BITS = 30, 33
MOST_ID, MOST_TIME = 2**ID_BITS - 1, 2**TIME_BITS - 1


def build_schema(keys: Fields) -> tantivy.Schema:
    """The schema; its fields are described by the tables of `base`."""
    builder = SchemaBuilder()
    # Not unsigned: deleting by a term of an unsigned field deletes nothing, and says nothing.
    builder.add_integer_field("id", indexed=True, fast=True)
    for name in FIELD_WEIGHTS:
        builder.add_text_field(name, tokenizer_name=WORDS)
    for key in (*keys.indexed, HELD, CODES):
        builder.add_text_field(key, tokenizer_name="raw", fast=True, index_option="basic")
    for key in keys.numbers:
        builder.add_integer_field(key, fast=True)
    for name in (CURATED_FIRST, NEWEST, COMMENTS, QUICKNESS):
        builder.add_unsigned_field(name, indexed=name in (COMMENTS, QUICKNESS), fast=True)
    builder.add_bytes_field("card", stored=True)
    builder.add_bytes_field("features", stored=True)
    return builder.build()


def fingerprint(keys: Fields) -> str:
    """Stands for everything that decides how documents are indexed."""
    described = repr((VERSION, tuple(FIELD_WEIGHTS), keys.indexed, keys.numbers, IN_CODES, ID_BITS, TIME_BITS))
    return hashlib.sha256(described.encode()).hexdigest()[:12]


def register(index: tantivy.Index) -> tantivy.Index:
    """Tell the index to split texts at blanks and to do nothing else with them."""
    index.register_tokenizer(WORDS, TextAnalyzerBuilder(Tokenizer.whitespace()).build())
    return index


def prepare(document: Document, keys: Fields) -> Prepared:
    """The document as tantivy reads it, in JSON: made beside the process that writes, it is all that goes to it.

    Raises ValueError when the document has no place in the index.
    """
    known = {*keys.indexed, HELD}
    if not (document.values.keys() <= known and document.texts.keys() <= FIELD_WEIGHTS.keys()):
        unknown = document.values.keys() - known | document.texts.keys() - FIELD_WEIGHTS.keys()
        raise ValueError(f"No such field in the index: {', '.join(sorted(unknown))}.")
    # Most keys have one value, which cannot be there twice.
    values = {}
    for key, held in document.values.items():
        if held:
            values[key] = held if len(held) == 1 else tuple(dict.fromkeys(held))
    codes: list[str] = []
    for key in IN_CODES:
        codes += [f"{key}={value}" for value in values.get(key, ())]
    fields = {
        "id": document.id,
        **{name: text for name, text in document.texts.items() if text},
        **values,
        CODES: codes,
        **{key: document.numbers[key] for key in keys.numbers if key in document.numbers},
        **orders(document),
        "card": b64encode(document.card.encode()).decode(),
        "features": b64encode(document.features).decode(),
    }
    try:
        return document.id, orjson.dumps(fields).decode()
    except orjson.JSONEncodeError as error:
        raise ValueError(f"The issue with id {document.id} is no valid text: {error}") from error


def orders(document: Document) -> dict[str, int]:
    """The numbers that the orders go by, greatest first; 0 stands for not known, which comes last."""
    if not 0 < document.id <= MOST_ID:
        raise ValueError(f"An issue's id must be between 1 and {MOST_ID}, not {document.id}.")
    numbers = document.numbers
    opened = _within(numbers["opened_at"] + 1, MOST_TIME) if "opened_at" in numbers else 0
    newest = opened << ID_BITS | document.id
    is_curated = "true" in document.values.get("curated", ())
    return {
        NEWEST: newest,
        CURATED_FIRST: is_curated << (ID_BITS + TIME_BITS) | newest,
        COMMENTS: _within(numbers["comments"] + 1, MOST_TIME) if "comments" in numbers else 0,
        QUICKNESS: _within(MOST_TIME - numbers["open_seconds"], MOST_TIME) if "open_seconds" in numbers else 0,
    }


def _within(number: int, most: int) -> int:
    return max(1, min(number, most))
