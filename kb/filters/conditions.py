"""Conditions on issues that look at several rows: labels, fixes, sources."""

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, OuterRef, Q, QuerySet

from kb.core.search.filter_values import Choice
from kb.core.search.keys import AXIS_KEYS as AXIS_KEYS
from kb.models import Fix, Label, Node


class IssueConditions:
    """The conditions of filters on issues that look at several rows, for a filter set to inherit."""

    def choices(self) -> dict[str, Choice]:
        """What each filter asks for."""
        raise NotImplementedError

    def by_axis(self, key: str, codes: tuple[str, ...]) -> Q:
        """Issues with a label on one of these house nodes or below them."""
        nodes = Node.objects.house().filter(axis__code=AXIS_KEYS[key]).within(list(codes))
        if self._chosen_sources():
            return self._labelled(nodes)
        return Q(digest__node_ids__overlap=ArraySubquery(nodes.order_by().values("pk")))

    def by_node(self, _key: str, paths: tuple[str, ...]) -> Q:
        """Issues labelled with one of the nodes at `scheme/code` or something below it."""
        nodes = Node.objects.none()
        for path in paths:
            scheme, _, code = path.partition("/")
            nodes = nodes | Node.objects.filter(axis__scheme__slug=scheme).within([code])
        # One condition for all of them: with an OR between two, Postgres reads every issue and no index.
        return self._labelled(nodes)

    def _labelled(self, nodes: QuerySet[Node]) -> Q:
        """Issues with a label on one of these nodes.

        With `source`, only labels of these sources answer: an issue must not borrow its cause from another. Without it,
        labels of people do; what rules suggest answers only if their source is asked for.
        """
        labels = Label.objects.by_people()
        if sources := self._chosen_sources():
            labels = Label.objects.filter(source__slug__in=sources)
        return Q(Exists(labels.filter(issue=OuterRef("pk"), node__in=nodes.values("pk"))))

    def _chosen_sources(self) -> tuple[str, ...]:
        source = self.choices().get("source")
        return source.wanted if source else ()

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
    fixes = Fix.objects.filter(issues=OuterRef("pk"), **{f"{column}__isnull": False})
    up_to_high = fixes if choice.high is None else fixes.filter(**{f"{column}__lte": choice.high})
    if choice.low is None:
        return Q(Exists(up_to_high))
    return Q(Exists(up_to_high)) & ~Q(Exists(fixes.filter(**{f"{column}__lt": choice.low})))
