"""Search: from the words and filters of a request to ordered issues, facets and the reasons.

The public face is `search`; pages, API, exports and feeds use nothing but what is named here. Inside, a request goes
from `language` (pure parsing) and `asked` (the box's filters and those of the address) over `plan` (what to look
for) to an engine in `backends`, and its best matches through `ranking`. How issues get into an engine's index:
`documents` builds what is indexed, `outbox` knows what changed, `indexing` brings the two together.
"""

from kb.search.asked import Asked, Said, words_alone
from kb.search.cards import Card, CardFix, CardNode, CardSource
from kb.search.groups import FacetGroup, FacetValue
from kb.search.language import MAX_CHARACTERS, Query, Reference, parse
from kb.search.service import MOST_REACHABLE, Match, Row, SearchResult, find_reference, in_order, search
from kb.search.snippets import Piece, passage
from kb.search.values import Sort

__all__ = [
    "MAX_CHARACTERS",
    "MOST_REACHABLE",
    "Asked",
    "Card",
    "CardFix",
    "CardNode",
    "CardSource",
    "FacetGroup",
    "FacetValue",
    "Match",
    "Piece",
    "Query",
    "Reference",
    "Row",
    "Said",
    "SearchResult",
    "Sort",
    "find_reference",
    "in_order",
    "parse",
    "passage",
    "search",
    "words_alone",
]
