"""Search: from the words and filters of a request to ordered issues, facets and the reasons.

The public face is `search` and, for the rows that are shown, `passages`; the private parts are `language` (pure
parsing), `names` (what filters understand), `asked` (the box's filters and those of the address together), `engine`
(matching and order) and `facets` (counts). Pages, API and exports use nothing else.
"""

from kb.search.asked import Asked, Said, words_alone
from kb.search.engine import Match, Sort
from kb.search.language import MAX_CHARACTERS, Query, Reference, parse
from kb.search.service import FacetGroup, FacetValue, SearchResult, find_reference, search
from kb.search.snippets import Piece, passages

__all__ = [
    "MAX_CHARACTERS",
    "Asked",
    "FacetGroup",
    "FacetValue",
    "Match",
    "Piece",
    "Query",
    "Reference",
    "Said",
    "SearchResult",
    "Sort",
    "find_reference",
    "parse",
    "passages",
    "search",
    "words_alone",
]
