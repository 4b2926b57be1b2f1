"""The categories of the house codebook that a search names, by words or by a filter. `naming` decides; names are read.

Worked out once per state of the names, as `speech` is.
"""

from collections.abc import Iterator

from kb.core.search.lexicon import spoken_nodes
from kb.core.search.normalise import words, written
from kb.core.search.speech import speech
from kb.search.names import FILTER_KEYS, Names, at_hand
from kb.search.naming import KEYS, Category, Naming, NodeBook, Phrase
from kb.search.service import SearchResult
from kb.selectors.codebook import house_rows


def naming(result: SearchResult) -> Naming:
    """What the box's text names; nothing for a paste, which has far too many words to name anything."""
    query = result.query
    text = " ".join((query.words, *query.phrases))
    known = at_hand()
    if known is None or query.is_paste or query.reference or not text:
        return Naming()
    repaired = {repair.typed: repair.word for repair in result.plan.repairs}
    return _book(known).naming(text, repaired=repaired, frameworks=speech(known.stored).frameworks.places(words(text)))


def _book(names: Names) -> NodeBook:
    global _cached
    if _cached is None or _cached[0] is not names:
        _cached = (names, NodeBook(_phrases(names), _parents(), _everyday()))
    return _cached[1]


_cached: tuple[Names, NodeBook] | None = None


def _phrases(names: Names) -> Iterator[Phrase]:
    """Names and aliases; a code of one word says in short what the name says, but may be an everyday word."""
    for key in KEYS:
        for node in names.stored[key].values:
            category = Category(key, node.value)
            for text in (node.name, *node.aliases):
                # `modeling_` is the beginning of identifiers, and no word.
                if not text.endswith("_"):
                    yield Phrase(text, category)
            yield Phrase(node.value, category, is_short=len(written(node.value)) == 1)


def _everyday() -> Iterator[Phrase]:
    """Everyday words; a single one, such as `killed` or `slow`, must be most of what is said."""
    for path, texts in spoken_nodes().items():
        axis, code = path.split("/")
        if (key := FILTER_KEYS.get(axis)) in KEYS:
            for text in texts:
                yield Phrase(text, Category(key, code), is_short=text.isascii() and len(written(text)) == 1)


def _parents() -> dict[Category, Category]:
    rows = {row.id: Category(FILTER_KEYS.get(row.axis, ""), row.code) for row in house_rows()}
    parents = {}
    for row in house_rows():
        if row.parent_id in rows:
            parents[rows[row.id]] = rows[row.parent_id]
    return parents
