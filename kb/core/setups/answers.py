"""What a condition answers of a set-up, and how answers are joined: Kleene's three values with their reasons.

Not here: the expression's syntax (`conditions`) and what is compared (`comparisons`).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from kb.core.setups.facts import Fact, Setup, Value


class ConditionError(ValueError):
    """An expression that is none; its text says what to write."""


@dataclass(frozen=True)
class Answer:
    """Whether a condition holds (None: not known), what decided it, and what would have to be told."""

    holds: bool | None
    because: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


Test = Callable[[Setup], Answer]


def all_of(tests: list[Test]) -> Test:
    """Every one of them: one that does not hold decides."""

    def test(setup: Setup) -> Answer:
        answers = [each(setup) for each in tests]
        failed = [answer for answer in answers if answer.holds is False]
        if failed:
            return Answer(False, failed[0].because)
        unknown = [answer for answer in answers if answer.holds is None]
        return Answer(None if unknown else True, _because(answers), _missing(unknown))

    return test


def any_of(tests: list[Test]) -> Test:
    """Any of them: one that holds decides."""

    def test(setup: Setup) -> Answer:
        answers = [each(setup) for each in tests]
        holding = [answer for answer in answers if answer.holds]
        if holding:
            return Answer(True, holding[0].because)
        unknown = [answer for answer in answers if answer.holds is None]
        return Answer(None if unknown else False, _because(answers), _missing(unknown))

    return test


def negated(inner: Test) -> Test:
    """The contrary; what is not known stays so."""

    def test(setup: Setup) -> Answer:
        answer = inner(setup)
        holds = None if answer.holds is None else not answer.holds
        return Answer(holds, answer.because, answer.missing)

    return test


def _because(answers: Iterable[Answer]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(reason for answer in answers for reason in answer.because))


def _missing(answers: Iterable[Answer]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for answer in answers for name in answer.missing))


def by_fact(fact: Fact | None, name: str, check: Callable[[Value], bool]) -> Answer:
    """The answer by one fact of this name, which is asked for where it is not known."""
    if fact is None:
        return Answer(None, missing=(name,))
    source = "default" if fact.is_default else fact.place
    return Answer(check(fact.value), (f"{name} is {written(fact.value)} ({source})",))


def written(value: Value) -> str:
    """The value as files write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
