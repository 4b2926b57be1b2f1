"""Keyset paging: an ordered queryset continued after a given row, stable when rows are added before it.

How a position is encoded as a cursor is in `paging`.
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
    """One column of the order, annotated on the rows as `name`."""

    name: str
    expression: Combinable
    descending: bool
    nulls_last: bool

    def equal(self, value: Any) -> Q:
        """Condition: rows with this value."""
        if value is None:
            return Q(**{f"{self.name}__isnull": True})
        return Q(**{self.name: value})

    def after(self, value: Any) -> Q | None:
        """Condition: rows that sort after `value`; None when there can be none."""
        if value is None:
            return None if self.nulls_last else Q(**{f"{self.name}__isnull": False})
        comparison = "lt" if self.descending else "gt"
        later = Q(**{f"{self.name}__{comparison}": value})
        if self.nulls_last:
            later |= Q(**{f"{self.name}__isnull": True})
        return later


def require_total_order(queryset: QuerySet[Any]) -> tuple[Term, ...]:
    """The queryset's order as terms. Raises `ImproperlyConfigured` unless it ends, explicitly, in the primary key."""
    terms = tuple(_term(i, part) for i, part in enumerate(queryset.query.order_by))
    last = terms[-1].expression if terms else None
    if not isinstance(last, F) or str(last) not in ("F(pk)", f"F({queryset.model._meta.pk.name})"):
        raise ImproperlyConfigured(
            f"{queryset.model.__name__}: only an order that ends in the primary key can be paged"
        )
    return terms


def _term(i: int, part: Any) -> Term:
    """Postgres puts nulls last in ascending and first in descending order unless the order says otherwise."""
    name = f"cursor_key_{i}"
    if isinstance(part, str):
        descending = part.startswith("-")
        return Term(name, F(part.removeprefix("-")), descending, nulls_last=not descending)
    if isinstance(part, OrderBy):
        nulls_last = bool(part.nulls_last or not (part.descending or part.nulls_first))
        return Term(name, part.expression, part.descending, nulls_last)
    return Term(name, part, descending=False, nulls_last=True)


def with_keys(queryset: QuerySet[Any]) -> QuerySet[Any]:
    """The same rows, each annotated with its key."""
    keyed: QuerySet[Any] = queryset.annotate(**{term.name: term.expression for term in require_total_order(queryset)})
    return keyed


def key_of(row: Model, terms: tuple[Term, ...]) -> Key:
    """The row's position in the order, as values that JSON holds without loss."""
    key: Key = []
    for term in terms:
        value = getattr(row, term.name)
        key.append(str(value) if isinstance(value, dt.date | dt.timedelta) else value)
    return key


def after(queryset: QuerySet[Any], key: Key) -> QuerySet[Any]:
    """The rows after `key`, of a queryset from `with_keys`. Raises `ValueError` for a key of another order."""
    terms = require_total_order(queryset)
    annotations = queryset.query.annotations
    try:
        values = [annotations[term.name].output_field.to_python(value) for term, value in zip(terms, key, strict=True)]
    except ValidationError as error:
        raise ValueError("the key was made for another order") from error
    condition = Q(pk__in=[])
    equal_so_far = Q()
    for term, value in zip(terms, values, strict=True):
        later = term.after(value)
        if later is not None:
            condition |= equal_so_far & later
        equal_so_far &= term.equal(value)
    return queryset.filter(condition)
