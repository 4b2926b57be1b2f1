"""Search: from the words and filters of a request to ordered issues, facets and the reasons.

The public face is `search`; pages, API, exports and feeds use nothing but what is named here. Inside, a request goes
from `language` (parsing) and `request` (the box's filters and those of the address) over `plan` (what to look
for) to an engine in `backends`, and its best matches through `ranking`. How issues get into an engine's index:
`documents` builds what is indexed, `outbox` knows what changed, `indexing` brings the two together.
"""

from kb.core.search.cards import Card, CardFix, CardNode, CardSource
from kb.core.search.duplicates import fold_twins
from kb.core.search.language import MAX_CHARACTERS, Reference, parse
from kb.core.search.pipeline import Row
from kb.core.search.reasons import Alike, Reason, reasons, repairs, unknown
from kb.core.search.similar_reports import Report
from kb.core.search.snippets import Piece, passage
from kb.core.search.values import Condition, Sort
from kb.search.backends.postgres import conditioned
from kb.search.box import BoxKind, is_error_line, kind_of
from kb.search.groups import FacetGroup, FacetValue
from kb.search.harvest import Harvest, harvest
from kb.search.offers import offers
from kb.search.references import Mention, find_reference, mentioned, place_of
from kb.search.request import FilterTerm, ParsedSearch, read, words_alone
from kb.search.service import (
    ANY,
    MOST_REACHABLE,
    Match,
    Matches,
    SearchResult,
    answer,
    matches,
    search,
)
from kb.search.similar import Similar, search_draft, similar_issues
from kb.search.similar_reports import UnknownFrameworkError, similar_to_report
from kb.search.suggest import completions

__all__ = [
    "ANY",
    "MAX_CHARACTERS",
    "MOST_REACHABLE",
    "Alike",
    "BoxKind",
    "Card",
    "CardFix",
    "CardNode",
    "CardSource",
    "Condition",
    "FacetGroup",
    "FacetValue",
    "FilterTerm",
    "Harvest",
    "Match",
    "Matches",
    "Mention",
    "ParsedSearch",
    "Piece",
    "Reason",
    "Reference",
    "Report",
    "Row",
    "SearchResult",
    "Similar",
    "Sort",
    "UnknownFrameworkError",
    "answer",
    "completions",
    "conditioned",
    "find_reference",
    "fold_twins",
    "harvest",
    "is_error_line",
    "kind_of",
    "matches",
    "mentioned",
    "offers",
    "parse",
    "passage",
    "place_of",
    "read",
    "reasons",
    "repairs",
    "search",
    "search_draft",
    "similar_issues",
    "similar_to_report",
    "unknown",
    "words_alone",
]
