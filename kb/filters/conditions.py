"""Conditions on issues that are more than a column: labels, fixes, sources."""

from functools import reduce
from operator import or_
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, OuterRef, Q, QuerySet

from kb.filters.values import Choice
from kb.models import Fix, Label, Node

# Query key -> axis of the house codebook.
AXIS_KEYS = {
    "type": "issue_type",
    "symptom": "symptom",
    "cause": "root_cause",
    "fix": "fix_pattern",
    "stage": "stage",
    "component": "component",
    "theme": "theme",
}


def labelled(nodes: QuerySet[Node], **label_conditions: Any) -> Exists:
    """A condition on issues: carries a label on one of these nodes, one of people's unless a condition says whose."""
    labels = Label.objects.filter(**label_conditions) if label_conditions else Label.objects.by_people()
    return Exists(labels.filter(issue=OuterRef("pk"), node__in=nodes.values("pk")))


class IssueConditions:
    """The conditions, for a filter set on issues."""

    def choices(self) -> dict[str, Choice]:
        """What each filter asks for."""
        raise NotImplementedError

    def by_axis(self, key: str, codes: tuple[str, ...]) -> Q:
        """Issues with a label on one of these house nodes or below them."""
        nodes = Node.objects.house().filter(axis__code=AXIS_KEYS[key]).within(list(codes))
        if held_by := self._held_by():
            return Q(labelled(nodes, **held_by))
        return Q(digest__node_ids__overlap=ArraySubquery(nodes.order_by().values("pk")))

    def _held_by(self) -> dict[str, Any]:
        """With `source`, only labels of these sources answer: an issue must not borrow its cause from another.

        What rules suggest answers for nobody but who asks for their source.
        """
        source = self.choices().get("source")
        return {"source__slug__in": source.wanted} if source and source.wanted else {}

    def by_node(self, _key: str, paths: tuple[str, ...]) -> Q:
        """Issues labelled with one of the named nodes or something below it."""
        each = []
        for path in paths:
            scheme, _, code = path.partition("/")
            each.append(Node.objects.filter(axis__scheme__slug=scheme).within([code]))
        # One condition for all of them: with an OR between two, Postgres reads every issue and no index.
        return Q(labelled(reduce(or_, each), **self._held_by()))

    def by_has_fix(self, _key: str, values: tuple[str, ...]) -> Q:
        """Issues with, or without, a known fix."""
        return either_way(Q(digest__has_fix=True), values)

    def by_resolved(self, _key: str, values: tuple[str, ...]) -> Q:
        """Issues with, or without, a stated resolution."""
        return either_way(~Q(resolution=""), values)

    def by_lines(self, choice: Choice) -> Q:
        """Issues whose smallest fix has so many lines."""
        return smallest_fix("lines_changed", choice)

    def by_files(self, choice: Choice) -> Q:
        """Issues whose fix with the fewest files has so many."""
        return smallest_fix("files_changed", choice)

    def by_trust(self, _key: str, kinds: tuple[str, ...]) -> Q:
        """Issues with a label that a source of one of these kinds holds."""
        return Q(digest__source_kinds__overlap=list(kinds))

    def by_source(self, _key: str, slugs: tuple[str, ...]) -> Q:
        """Issues with a label that one of these sources holds."""
        return Q(Exists(Label.objects.filter(issue=OuterRef("pk"), source__slug__in=slugs)))


def smallest_fix(column: str, choice: Choice) -> Q:
    """Issues whose fix with the smallest known number in this column has it within the bounds."""
    sizes = Fix.objects.filter(issues=OuterRef("pk"), **{f"{column}__isnull": False})
    condition = Q(Exists(sizes if choice.high is None else sizes.filter(**{f"{column}__lte": choice.high})))
    return condition if choice.low is None else condition & ~Q(Exists(sizes.filter(**{f"{column}__lt": choice.low})))


def either_way(condition: Q, values: tuple[str, ...]) -> Q:
    """The condition, its opposite, or everything: what `true`, `false`, or both of them ask for."""
    both = Q(pk__isnull=False)
    return both if len(values) > 1 else condition if values == ("true",) else ~condition
