"""The types of filters: the condition that each puts on rows, and what the search index holds for it.

What was typed comes as the `Choice` that a field of `kb.filters.fields` made of it. On issues, search engines get the
same choices, and index what the filter's `expression` reads, so that they and Postgres cannot disagree.
"""

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import django_filters as filters
from django import forms
from django.db import models
from django.db.models import Q, QuerySet
from django.db.models.expressions import Combinable
from django.db.models.functions import ExtractYear

from kb.core.search.filter_values import EPOCH, Choice
from kb.core.search.lookup import Named
from kb.filters.fields import ChoiceField, DayField, RangeField, YearField


class OneOf(filters.ChoiceFilter):
    """One value out of a fixed set; anything else is an error that names the choices."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("error_messages", choose_from([str(value) for value, _ in kwargs["choices"]]))
        super().__init__(*args, **kwargs)


class YesOrNo(filters.TypedChoiceFilter):
    """`true` or `false`; anything else is an error, never "don't care"."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs |= {"choices": (("true", "Yes"), ("false", "No")), "coerce": lambda value: value == "true"}
        super().__init__(*args, error_messages=choose_from(["true", "false"]), **kwargs)


class WholeNumber(filters.NumberFilter):
    """A number without a fraction."""

    field_class = forms.IntegerField  # type: ignore[assignment]


def choose_from(choices: list[str]) -> dict[str, str]:
    """The message for a value that is none of these."""
    return {"invalid_choice": f"“%(value)s” is not known here. Choose one of: {', '.join(choices)}."}


class Values(filters.Filter):
    """Rows with any of the wanted values and none of the unwanted ones.

    The values stand in a column (`field_name`; a path through foreign keys will do), or `holds` names the filter set's
    method that makes the condition for some values. With `all_of`, every wanted value must be there.

    `facet` is the heading of its list beside the results, `words` what `is:` and `has:` call its values:
    `{"is:open": "open"}`.
    """

    field_class = ChoiceField
    parent: Any  # the filter set, as django-filter sets it
    field_name: str  # the attribute's name unless given
    column_types: ClassVar[tuple[type[models.Field[Any, Any]], ...]] = (models.CharField, models.TextField)

    def __init__(
        self,
        *args: Any,
        holds: str = "",
        all_of: bool = False,
        facet: str = "",
        words: Mapping[str, str] | None = None,
        help_text: str = "",
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, help_text=help_text, **kwargs)
        self.holds = holds
        self.all_of = all_of
        self.facet = facet
        self.words = words or {}

    def filter(self, rows: QuerySet[Any], choice: Choice | None) -> QuerySet[Any]:
        """The rows that the choice leaves."""
        if choice is None:
            return rows
        if self.all_of:
            for value in choice.wanted:
                rows = rows.filter(self.any_of((value,)))
        elif choice.wanted:
            rows = rows.filter(self.any_of(choice.wanted))
        if choice.unwanted:
            rows = rows.exclude(self.any_of(choice.unwanted))
        return rows.distinct() if self.distinct else rows

    def any_of(self, values: tuple[str, ...]) -> Q:
        """The condition that a row has one of the values."""
        if self.holds:
            condition: Q = getattr(self.parent, self.holds)(self.field_name, values)
            return condition
        return Q((f"{self.field_name}__in", values))

    def expression(self) -> Combinable:
        """What a row's value is read from, for the search index and for facets."""
        return models.F(self.field_name)

    def indexed(self, value: Any) -> tuple[str, ...]:
        """The values that the search index holds for what `expression` read."""
        return () if value in (None, "") else (str(value),)


class YesOrNoValues(Values):
    """`true` or `false`, by a column or by the condition `when`. What is not known is neither."""

    column_types = (models.BooleanField,)

    def __init__(self, *args: Any, when: Q | None = None, **kwargs: Any) -> None:
        yes_no = (Named("true", "Yes"), Named("false", "No"))
        super().__init__(*args, known=yes_no, **kwargs)
        self.when = when

    def any_of(self, values: tuple[str, ...]) -> Q:
        """The condition that a row has one of the values."""
        if self.holds:
            return super().any_of(values)
        if self.when is None:
            # Django takes a generated column for one that is never null.
            known = Q((f"{self.field_name}__isnull", False))
            return known & Q((f"{self.field_name}__in", [value == "true" for value in values]))
        if len(values) > 1:
            return Q(pk__isnull=False)
        return self.when if values == ("true",) else ~self.when

    def expression(self) -> Combinable:
        """The column, or whether the condition holds."""
        if self.when is None:
            return models.F(self.field_name)
        return models.Case(
            models.When(self.when, then=models.Value(True)),
            default=models.Value(False),
            output_field=models.BooleanField(),
        )

    def indexed(self, value: bool | None) -> tuple[str, ...]:
        """`true`, `false`, or nothing."""
        if value is None:
            return ()
        return ("true",) if value else ("false",)


class Years(Values):
    """The year (UTC) of a column with times."""

    field_class = YearField
    column_types = (models.DateTimeField,)

    def any_of(self, values: tuple[str, ...]) -> Q:
        """The condition that the column's time lies in one of the years."""
        years = sorted(map(int, values))
        runs: list[tuple[int, int]] = []
        for year in years:
            if runs and runs[-1][1] == year - 1:
                runs[-1] = (runs[-1][0], year)
            else:
                runs.append((year, year))
        condition = Q()
        for first, last in runs:
            start, end = dt.datetime(first, 1, 1, tzinfo=dt.UTC), dt.datetime(last + 1, 1, 1, tzinfo=dt.UTC)
            condition |= Q((f"{self.field_name}__gte", start), (f"{self.field_name}__lt", end))
        return condition

    def expression(self) -> Combinable:
        """The year as a number."""
        return ExtractYear(self.field_name, tzinfo=dt.UTC)


class Numbers(filters.Filter):
    """Rows with a number within bounds; one whose number is not known is never within any.

    The number stands in a column (`field_name`), or `holds` names the filter set's method that makes the condition.
    """

    field_class = RangeField
    parent: Any  # the filter set, as django-filter sets it
    field_name: str  # the attribute's name unless given
    column_types: ClassVar[tuple[type[models.Field[Any, Any]], ...]] = (models.IntegerField,)

    def __init__(self, *args: Any, holds: str = "", help_text: str = "", **kwargs: Any) -> None:
        super().__init__(*args, help_text=help_text, **kwargs)
        self.holds = holds

    def filter(self, rows: QuerySet[Any], choice: Choice | None) -> QuerySet[Any]:
        """The rows that the bounds leave."""
        if choice is None:
            return rows
        if self.holds:
            return rows.filter(getattr(self.parent, self.holds)(choice))
        if choice.low is not None:
            rows = rows.filter(**{f"{self.field_name}__gte": self.start(choice.low)})
        if choice.high is not None:
            rows = rows.filter(**{f"{self.field_name}__lt": self.start(choice.high + 1)})
        return rows

    def start(self, number: int) -> object:
        """Where this number begins in the column."""
        return number

    def expression(self) -> Combinable:
        """What a row's number is read from, for the search index."""
        return models.F(self.field_name)

    def indexed(self, value: Any) -> int:
        """The number that the search index holds for what `expression` read, which is not null."""
        return int(value)


class Dates(Numbers):
    """Days, of a column with times (UTC)."""

    field_class = DayField
    column_types = (models.DateTimeField,)

    def start(self, number: int) -> object:
        """The first moment of the day."""
        day = dt.date.fromordinal(EPOCH + number)
        return dt.datetime(day.year, day.month, day.day, tzinfo=dt.UTC)

    def indexed(self, value: dt.datetime) -> int:
        """Days since 1970-01-01."""
        return value.toordinal() - EPOCH


class Days(Numbers):
    """Whole days, of a column with durations."""

    column_types = (models.DurationField,)

    def start(self, number: int) -> object:
        """The shortest time of so many days."""
        return dt.timedelta(days=number)

    def indexed(self, value: dt.timedelta) -> int:
        """Whole days."""
        return value.days


def named(choices: Iterable[tuple[str, str]], **aliases: tuple[str, ...]) -> tuple[Named, ...]:
    """The values of a fixed set, with other names for some."""
    return tuple(Named(value, name, aliases.get(value, ())) for value, name in choices)


def listed(choices: type[models.TextChoices]) -> str:
    """The values of a fixed set, for a help text."""
    return ", ".join(f"`{value}`" for value in choices.values)
