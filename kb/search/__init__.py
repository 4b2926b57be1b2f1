"""Search: from the words and filters of a request to ordered issues, facets and the reasons.

The public face is `search` and, for the rows that are shown, `passages`; the private parts are `query` (pure
parsing), `engine` (matching and order) and `facets` (counts). Pages, API and exports use nothing else.
"""

from kb.search.engine import Match, Sort
from kb.search.query import Query, Reference, parse
from kb.search.service import FacetGroup, FacetValue, SearchResult, find_reference, search
from kb.search.snippets import Piece, passages

__all__ = [
    "FacetGroup",
    "FacetValue",
    "Match",
    "Piece",
    "Query",
    "Reference",
    "SearchResult",
    "Sort",
    "find_reference",
    "parse",
    "passages",
    "search",
]
