"""Issues that are like another one, and why: the categories they share, else the words of the title."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.postgres.search import SearchQuery, SearchRank
from django.db.models import Count, F, IntegerField, QuerySet, TextField, Value

from kb.models import Issue, Kind, Label, Node

COMPARED_AXES = ("symptom", "root_cause", "component")
# Only the candidates that share most are compared word by word.
CANDIDATES = 60
RANKED_WORDS = 200


class AnyWord(SearchQuery):
    """Any word of a text; the database function folds it."""

    SEARCH_TYPES = SearchQuery.SEARCH_TYPES | {"any": "kb_any_word"}


@dataclass(frozen=True)
class Similar:
    """A described issue and the categories that it shares with another; none when only words are shared."""

    issue: Issue
    shared: tuple[Node, ...]


def similar_issues(issue: Issue, *, limit: int = 5) -> Sequence[Similar]:
    """Described issues that share most symptoms, causes and components with this one; ties go to the closer title.

    The issue's labels must be prefetched. An issue without such labels is compared by its title's words.
    """
    nodes = {
        label.node_id: label.node
        for label in issue.labels.all()
        if label.node.axis.scheme.is_house and label.node.axis.code in COMPARED_AXES
    }
    if not nodes:
        return [Similar(other, ()) for other in _by_words(_described(issue), issue)[:limit]]
    candidates = _candidates(issue, nodes)
    found = list(_by_words(_described(issue).filter(pk__in=candidates), issue, every=True))
    found.sort(key=lambda other: -candidates[other.pk])  # stable: the closer title stays first
    return [Similar(other, shared) for other, shared in _with_shared(found[:limit], nodes)]


def _described(issue: Issue) -> QuerySet[Issue]:
    return Issue.objects.curated().true_issues().exclude(pk=issue.pk)


def _candidates(issue: Issue, nodes: dict[int, Node]) -> dict[int, int]:
    """Issue id -> how many of the nodes it carries, for those that carry most."""
    rows = (
        Label.objects.filter(node__in=nodes, issue__is_curated=True)
        .exclude(issue=issue)
        .exclude(issue__kind=Kind.PULL_REQUEST)
        .values_list("issue")
        .annotate(shared=Count("node", distinct=True, output_field=IntegerField()))
        .order_by("-shared", "-issue")
    )
    return dict(rows[:CANDIDATES])


def _by_words(issues: QuerySet[Issue], issue: Issue, *, every: bool = False) -> QuerySet[Issue]:
    """The issues by how well they match the title's words; all of them, or those with at least one word."""
    title = Value(issue.display_title[:RANKED_WORDS], output_field=TextField())
    words = AnyWord(title, search_type="any")
    matching = issues if every else issues.filter(search_vector=words)
    return (
        matching.annotate(closeness=SearchRank(F("search_vector"), words, normalization=Value(1)))
        .select_related("repository__framework")
        .defer("body", "search_vector", "label_terms")
        .order_by("-closeness", "-pk")
    )


def _with_shared(issues: list[Issue], nodes: dict[int, Node]) -> list[tuple[Issue, tuple[Node, ...]]]:
    carried: dict[int, dict[int, Node]] = {issue.pk: {} for issue in issues}
    pairs = Label.objects.filter(issue__in=issues, node__in=nodes).order_by("axis__position", "node__position")
    for issue_id, node_id in pairs.values_list("issue", "node"):
        carried[issue_id][node_id] = nodes[node_id]
    return [(issue, tuple(carried[issue.pk].values())) for issue in issues]
