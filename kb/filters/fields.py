"""The form fields of filters: each makes a `Choice` of what was typed, or refuses it with a sentence that helps."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from kb.core.search.filter_values import (
    MOST_CHARACTERS,
    MOST_VALUES,
    BadValueError,
    Choice,
    Value,
    day_number,
    overlap,
    shown,
    split_values,
    whole_number,
    years_of,
)
from kb.core.search.lookup import Lookup, Named

FEW = 8


class ChoiceField(forms.CharField):
    """Reads the values of one filter. `noun` is what one of them is called, `most` how many there may be.

    The values are `known`, or stand in the database: then `among` reads each with its name, or whoever uses the
    filters brings a `lookup`.
    """

    def __init__(
        self,
        *,
        noun: str = "value",
        most: int = MOST_VALUES,
        known: Sequence[Named] = (),
        among: Callable[[], Iterable[tuple[str, str]]] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.noun = noun
        self.most = most
        self.is_fixed = bool(known)
        self.among = among
        self.lookup: Lookup | None = Lookup(known) if known else None

    def clean(self, raw: object) -> Choice | None:
        """What was asked for; None for nothing. Raises `ValidationError`."""
        text = super().clean(raw)
        if len(text) > MOST_CHARACTERS:
            raise ValidationError(f"This is too long: at most {MOST_CHARACTERS:,} characters.")
        values = split_values(text)
        if len(values) > self.most:
            raise ValidationError(f"At most {self.most} {plural(self.noun)} can be combined.")
        if not values:
            return None
        try:
            return self.choice(values)
        except BadValueError as error:
            raise ValidationError(str(error)) from error

    def choice(self, values: Iterable[Value]) -> Choice:
        """What these values ask for. Raises `BadValueError`."""
        wanted: list[str] = []
        unwanted: list[str] = []
        for value in values:
            if value.unwanted:
                unwanted += self.meant(value)
            else:
                wanted += self.meant(value)
        return Choice(tuple(dict.fromkeys(wanted)), tuple(dict.fromkeys(unwanted)))

    def meant(self, value: Value) -> tuple[str, ...]:
        """The values in the form in which issues hold them. Raises `BadValueError`."""
        if self.lookup is None and self.among:
            self.lookup = Lookup(Named(*pair) for pair in self.among())
        if self.lookup is None:
            return (value.text,)
        meant = self.lookup.find(value.text)
        if meant is None:
            raise BadValueError(self._unknown(value.text, self.lookup))
        return (meant,)

    def _unknown(self, text: str, lookup: Lookup) -> str:
        if self.is_fixed:
            every = ", ".join(named.value for named in lookup.values)
            return f"{shown(text)} is not known here. Choose one of: {every}."
        near = lookup.nearest(text)
        few = ", ".join(named.value for named in lookup.values[:FEW])
        if near:
            hint = f"Nearest: {'; '.join(map(str, near))}."
        elif not few:
            hint = "None is known yet."
        else:
            hint = f"Known are: {few}." if len(lookup.values) <= FEW else f"Known are, among others: {few}."
        return f"{shown(text)} is not {article(self.noun)} here. {hint}"


class YearField(ChoiceField):
    """Years, also as ranges."""

    def meant(self, value: Value) -> tuple[str, ...]:
        """Every year that the value stands for. Raises `BadValueError`."""
        return years_of(value)


class RangeField(ChoiceField):
    """A number within bounds; several bounds must all hold."""

    def choice(self, values: Iterable[Value]) -> Choice:
        """The bounds. Raises `BadValueError`."""
        return overlap(values, self.ends)

    def ends(self, text: str) -> tuple[int, int]:
        """The numbers that a text stands for. Raises `BadValueError`."""
        return whole_number(text)


class DayField(RangeField):
    """A date within bounds."""

    def ends(self, text: str) -> tuple[int, int]:
        """The days that a text stands for. Raises `BadValueError`."""
        return day_number(text)


def article(noun: str) -> str:
    """The noun with its article."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def plural(noun: str) -> str:
    """The noun for several."""
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
