"""Cutting an ordered queryset after a given row (keyset paging): stable when rows are added before it.

Knows querysets and values; how a position travels as a cursor is `paging`.
"""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.db.models import F, Model, Q, QuerySet
from django.db.models.expressions import Combinable, OrderBy

Key = list[Any]


@dataclass(frozen=True)
class Term:
    """One part of an order: what is compared, under which name, and which way."""

    name: str
    expression: Combinable
    descending: bool
    nulls_last: bool

    def equal(self, value: Any) -> Q:
        """Rows that this term does not tell from `value`."""
        return Q(**{f"{self.name}__isnull": True} if value is None else {self.name: value})

    def after(self, value: Any) -> Q | None:
        """Rows that this term puts behind `value`; None when there can be none."""
        if value is None:
            return None if self.nulls_last else Q(**{f"{self.name}__isnull": False})
        beyond = Q(**{f"{self.name}__{'lt' if self.descending else 'gt'}": value})
        return beyond | Q(**{f"{self.name}__isnull": True}) if self.nulls_last else beyond


def require_total_order(queryset: QuerySet[Any]) -> tuple[Term, ...]:
    """The queryset's order as terms. Refuses an order that is not explicit or does not end in the primary key."""
    terms = tuple(_term(i, part) for i, part in enumerate(queryset.query.order_by))
    last = terms[-1].expression if terms else None
    if not isinstance(last, F) or str(last) not in ("F(pk)", f"F({queryset.model._meta.pk.name})"):
        raise ImproperlyConfigured(
            f"{queryset.model.__name__}: only an order that ends in the primary key can be paged"
        )
    return terms


def _term(i: int, part: Any) -> Term:
    name = f"cursor_key_{i}"
    if isinstance(part, str):
        return Term(name, F(part.removeprefix("-")), part.startswith("-"), not part.startswith("-"))
    if isinstance(part, OrderBy):
        by_default = not part.descending
        return Term(
            name, part.expression, part.descending, bool(part.nulls_last or (by_default and not part.nulls_first))
        )
    return Term(name, part, descending=False, nulls_last=True)


def with_keys(queryset: QuerySet[Any]) -> QuerySet[Any]:
    """The same rows, each carrying its place in the order."""
    keyed: QuerySet[Any] = queryset.annotate(**{term.name: term.expression for term in require_total_order(queryset)})
    return keyed


def key_of(row: Model, terms: tuple[Term, ...]) -> Key:
    """The row's place in the order, in values that JSON can carry without loss."""
    values = (getattr(row, term.name) for term in terms)
    return [str(value) if isinstance(value, dt.date | dt.timedelta) else value for value in values]


def after(queryset: QuerySet[Any], key: Key) -> QuerySet[Any]:
    """The rows behind `key`. The queryset comes from `with_keys`. Raises ValueError for a key that does not fit."""
    terms = require_total_order(queryset)
    annotations = queryset.query.annotations
    try:
        values = [annotations[term.name].output_field.to_python(value) for term, value in zip(terms, key, strict=True)]
    except ValidationError as error:
        raise ValueError("the key was made for another order") from error
    behind = Q(pk__in=[])
    level = Q()
    for term, value in zip(terms, values, strict=True):
        beyond = term.after(value)
        if beyond is not None:
            behind |= level & beyond
        level &= term.equal(value)
    return queryset.filter(behind)
