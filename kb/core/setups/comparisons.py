"""Comparisons of conditions: values as files write them, and what an installation allows with a range of versions."""

import ast
import math
import operator
from collections.abc import Callable

from kb.core.setups.answers import Answer, ConditionError, Test, written
from kb.core.setups.facts import Setup, Value
from kb.core.setups.lookups import is_installed
from kb.core.versions import Allowed, allowed_by, as_version, exactly, is_almost

ORDERS: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


SIGNS: dict[type[ast.cmpop], str] = {ast.Eq: "==", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


def value_check(op: ast.cmpop, values: list[Value]) -> Callable[[Value], bool]:
    """The comparison as a function of the value that is there. Raises `ConditionError`."""
    if isinstance(op, ast.Eq | ast.In):
        return lambda value: any(_is_same(value, wanted) for wanted in values)
    order, bound = ORDERS[type(op)], _number(values[0])
    if bound is None or isinstance(values[0], str):
        raise ConditionError("only numbers and versions have an order")

    def check(value: Value) -> bool:
        number = _number(value)
        return number is not None and order(number, bound)

    return check


def _is_same(value: Value, wanted: Value) -> bool:
    """Equal, whether a file writes a value as text or as what it is: "2" and 2, "true" and True."""
    return value == wanted or written(value).lower() == written(wanted).lower()


def _number(value: Value) -> float | None:
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return None if math.isnan(number) else number


def version_fact_test(name: str, op: ast.cmpop, values: list[Value]) -> Test:
    """A fact that is a version, compared. Raises `ConditionError`."""
    wanted = _wanted(op, values)

    def test(setup: Setup) -> Answer:
        fact = setup.facts.get(name)
        version = as_version(str(fact.value)) if fact else None
        if fact is None or version is None:
            return Answer(None, missing=(name,))
        lies = _lies(exactly(version), wanted)
        return Answer(lies, (f"{name} is {fact.value} ({fact.place})",), (name,) if lies is None else ())

    return test


def version_test(name: str, op: ast.cmpop, values: list[Value]) -> Test:
    """A package's version, compared. Raises `ConditionError`."""
    wanted = _wanted(op, values)

    def test(setup: Setup) -> Answer:
        package = setup.packages.get(name)
        if package is None or package.allowed is None:
            installed = is_installed(setup, name)
            return installed if installed.holds is False else Answer(None, missing=(f"the version of {name}",))
        lies = _lies(package.allowed, wanted)
        missing = (f"the exact version of {name}",) if lies is None else ()
        return Answer(lies, (f"{name} {package.allowed.text} ({package.place})",), missing)

    return test


def _wanted(op: ast.cmpop, values: list[Value]) -> list[Allowed]:
    sign = SIGNS.get(type(op), "")
    wanted = [allowed_by(sign + value) if isinstance(value, str) and "!=" not in value else None for value in values]
    ranges = [allowed for allowed in wanted if allowed is not None]
    if len(ranges) < len(values):
        raise ConditionError(f'{values!r}: write a version in quotes, such as "2.3", or after in: ">=2.1,<2.4"')
    return ranges


def _lies(allowed: Allowed, wanted: list[Allowed]) -> bool | None:
    """Whether what is installed lies in one of these; None where it may or may not."""
    answers = [_lies_in(allowed, each) for each in wanted]
    if any(answers):
        return True
    return None if None in answers else False


def _lies_in(allowed: Allowed, wanted: Allowed) -> bool | None:
    """A development build or release candidate of a bound may lie on either side of it."""
    if any(bound is not None and is_almost(allowed, bound) for bound in (wanted.low, wanted.high)):
        return None
    if _is_apart(allowed, wanted):
        return False
    is_above = wanted.low is None or (allowed.is_from(wanted.low) and (wanted.has_low or allowed.low != wanted.low))
    is_at_end = wanted.has_high and allowed.high == wanted.high
    is_below = wanted.high is None or is_at_end or allowed.is_below(wanted.high)
    return True if is_above and is_below else None


def _is_apart(allowed: Allowed, wanted: Allowed) -> bool:
    """Whether no version is allowed and wanted."""
    if wanted.high is not None and allowed.low is not None:
        is_beyond = allowed.low > wanted.high
        if is_beyond or (allowed.low == wanted.high and not (wanted.has_high and allowed.has_low)):
            return True
    if wanted.low is None or allowed.high is None:
        return False
    return allowed.high < wanted.low or (allowed.high == wanted.low and not (wanted.has_low and allowed.has_high))
