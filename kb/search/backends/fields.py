"""The keys that every engine holds, as filters on issues declare them."""

from kb.core.search.keys import CODE_KEYS, Fields
from kb.filters.filter_types import Numbers, Values
from kb.filters.issues import IssueFilter

VALUE_KEYS = tuple(
    dict.fromkeys(
        (*CODE_KEYS, *(key for key, declared in IssueFilter.base_filters.items() if isinstance(declared, Values)))
    )
)
NUMBER_KEYS = tuple(key for key, declared in IssueFilter.base_filters.items() if isinstance(declared, Numbers))
FIELDS = Fields(VALUE_KEYS, NUMBER_KEYS)
INDEXED_KEYS = FIELDS.indexed
