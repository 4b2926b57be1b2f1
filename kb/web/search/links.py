"""Addresses of the search page for what a page counts: the number beside a link is what the link shows."""

from django.http import QueryDict
from django.urls import reverse
from django.utils.http import urlencode

from kb.filters.issues import AXIS_KEYS
from kb.models import Node, Source

KEYS_BY_AXIS = {axis: key for key, axis in AXIS_KEYS.items()}


def issues_url(**filters: str) -> str:
    """The search page with these filters."""
    return f"{reverse('search')}?{urlencode(filters).replace('%2F', '/').replace('%2C', ',')}"


def query_url(params: QueryDict) -> str:
    """The search page with these parameters."""
    return f"{reverse('search')}?{params.urlencode(safe='/,')}"


def node_issues_url(node: Node, **filters: str) -> str:
    """The issues that carry the node or something below it; `node.axis.scheme` must be at hand."""
    return issues_url(**node_filter(node), **filters)


def node_filter(node: Node) -> dict[str, str]:
    """The filter that finds a node's issues: a key of its own for the house's axes, `node` for a study's."""
    key = KEYS_BY_AXIS.get(node.axis.code)
    if node.axis.scheme.is_house and key:
        return {key: node.code}
    return {"node": f"{node.axis.scheme.slug}/{node.code}"}


def pair_url(symptom: Node, cause: Node, source: Source) -> str:
    """The issues to which the source gives both the symptom and the cause."""
    filters = node_filter(symptom)
    if "node" in filters:
        both = {"node": f"{filters['node']},{node_filter(cause)['node']}"}
    else:
        both = filters | node_filter(cause)
    return issues_url(**both, source=source.slug)
