"""Conditions: what must be true of a set-up, as a small expression that holds, does not hold, or is not known.

Python's syntax, a part of it: `and`, `or`, `not`, parentheses, one comparison at a time, facts of `vocabulary.yaml` by
name, texts and numbers, and these functions:

    version("torch") < "2.7"     also ==, !=, <=, >, >= and: version("torch") in ">=2.1,<2.4"
    installed("torchao")         whether the package is there
    setting("deepspeed.zero_optimization.overlap_comm") == True     a key of a configuration, by the kind of its file
    flag("--overlap-grad-reduce")     whether a launch command has it, or: flag("--dtype") == "half"
    env("NCCL_P2P_DISABLE") == "1"    an environment variable
    uses("DPOTrainer")           whether a script names it
    any                          every set-up

Every expression ends, and no set-up makes it fail: what is not known stays unknown (Kleene's three values), and a value
of another type than the one compared with is unequal. `not known` names the facts to ask for. Total and pure.
"""

import ast
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from kb.core.setups.facts import Fact, Place, Setup, Value
from kb.core.setups.vocabulary import FactKind, vocabulary
from kb.core.versions import Allowed, allowed_by, as_version, exactly, package_name

MAX_LENGTH, MAX_DEPTH = 600, 12

ORDERS: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


class ConditionError(ValueError):
    """An expression that is none; its text says what to write."""


@dataclass(frozen=True)
class Answer:
    """Whether a condition holds (None: not known), what decided it, and what would have to be told."""

    holds: bool | None
    because: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


Test = Callable[[Setup], Answer]


@lru_cache(maxsize=4096)
def compiled(expression: str) -> Test:
    """The condition as a function of a set-up. Raises `ConditionError`."""
    if len(expression) > MAX_LENGTH:
        raise ConditionError(f"a condition has at most {MAX_LENGTH} characters; this one has {len(expression)}")
    try:
        tree = ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else "too deep"
        raise ConditionError(f"not an expression ({reason})") from error
    return _test_of(tree, MAX_DEPTH)


def _test_of(node: ast.expr, depth: int) -> Test:
    if depth == 0:
        raise ConditionError(f"more than {MAX_DEPTH} levels deep")
    match node:
        case ast.BoolOp(op=ast.And(), values=values):
            return _all_of([_test_of(value, depth - 1) for value in values])
        case ast.BoolOp(op=ast.Or(), values=values):
            return _any_of([_test_of(value, depth - 1) for value in values])
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _negated(_test_of(operand, depth - 1))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _comparison(left, op, right)
        case ast.Compare():
            raise ConditionError("one comparison at a time: join two by and")
        case ast.Name(id="any"):
            return lambda _: Answer(True)
        case ast.Name(id=name):
            return _bool_fact(name)
        case ast.Call():
            return _bool_call(node)
    raise ConditionError(f"'{ast.unparse(node)}' is no condition: write a fact, a comparison or a function")


def _all_of(tests: list[Test]) -> Test:
    def test(setup: Setup) -> Answer:
        answers = [each(setup) for each in tests]
        failed = [answer for answer in answers if answer.holds is False]
        if failed:
            return Answer(False, failed[0].because)
        unknown = [answer for answer in answers if answer.holds is None]
        return Answer(None if unknown else True, _because(answers), _missing(unknown))

    return test


def _any_of(tests: list[Test]) -> Test:
    def test(setup: Setup) -> Answer:
        answers = [each(setup) for each in tests]
        holding = [answer for answer in answers if answer.holds]
        if holding:
            return Answer(True, holding[0].because)
        unknown = [answer for answer in answers if answer.holds is None]
        return Answer(None if unknown else False, _because(answers), _missing(unknown))

    return test


def _negated(inner: Test) -> Test:
    def test(setup: Setup) -> Answer:
        answer = inner(setup)
        holds = None if answer.holds is None else not answer.holds
        return Answer(holds, answer.because, answer.missing)

    return test


def _because(answers: Iterable[Answer]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(reason for answer in answers for reason in answer.because))


def _missing(answers: Iterable[Answer]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for answer in answers for name in answer.missing))


def _bool_fact(name: str) -> Test:
    kind = _kind(name)
    if kind.type != "bool":
        raise ConditionError(f"{name} is no yes or no: compare it with a value")
    return lambda setup: _answer(setup.facts.get(name), f"{name}", name, lambda value: value is True)


def _kind(name: str) -> FactKind:
    kind = vocabulary().get(name)
    if kind is None:
        raise ConditionError(f"'{name}' is not in vocabulary.yaml: add it there with its meaning, or use another fact")
    return kind


def _answer(fact: Fact | None, what: str, ask: str, check: Callable[[Value], bool]) -> Answer:
    """The answer by one fact: `what` it is called, and what is asked for where it is not known."""
    if fact is None:
        return Answer(None, missing=(ask,))
    told = f"{what} is {_written(fact.value)} ({'default' if fact.is_default else fact.place})"
    return Answer(check(fact.value), (told,))


def _written(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


# Functions


def _argument(node: ast.Call) -> tuple[str, str]:
    """The name of the function and its one text."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str(text))], keywords=[]) if text.strip():
            return name, text.strip()
    raise ConditionError(f"'{ast.unparse(node)}': a function has one text in quotes")


def _bool_call(node: ast.Call) -> Test:
    name, text = _argument(node)
    match name:
        case "installed":
            return lambda setup: _is_installed(setup, package_name(text))
        case "uses":
            return lambda setup: _is_used(setup, text)
        case "flag":
            return lambda setup: _has_flag(setup, text)
        case "version" | "setting" | "env":
            raise ConditionError(f"{name}(...) is no yes or no: compare it with a value")
    raise ConditionError(f"there is no function {name}")


def _is_installed(setup: Setup, name: str) -> Answer:
    package = setup.packages.get(name)
    if package is not None:
        return Answer(True, (f"{name} is installed ({package.place})",))
    if setup.lists_all_packages:
        return Answer(False, (f"{name} is not in the list of packages",))
    return Answer(None, missing=(f"whether {name} is installed",))


def _is_used(setup: Setup, name: str) -> Answer:
    if name in setup.names:
        return Answer(True, (f"a script names {name}",))
    return (
        Answer(False, (f"no script names {name}",))
        if setup.has_script
        else Answer(None, missing=(f"whether a script uses {name}",))
    )


def _has_flag(setup: Setup, text: str) -> Answer:
    fact = setup.flags.get(text.lstrip("-"))
    if fact is not None:
        return Answer(fact.value is not False, (f"{text} ({fact.place})",))
    return (
        Answer(False, (f"no {text} in the command",))
        if setup.has_command
        else Answer(None, missing=(f"whether the command has {text}",))
    )


# Comparisons


def _comparison(left: ast.expr, op: ast.cmpop, right: ast.expr) -> Test:
    if isinstance(op, ast.In | ast.NotIn) and isinstance(left, ast.Constant):
        test = _contains(right, left.value)
        return _negated(test) if isinstance(op, ast.NotIn) else test
    values = _constants(right)
    if isinstance(op, ast.NotEq):
        return _negated(_compared(left, ast.Eq(), values))
    if isinstance(op, ast.NotIn):
        return _negated(_compared(left, ast.In(), values))
    return _compared(left, op, values)


def _constants(node: ast.expr) -> list[Value]:
    elements = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
    values = [element.value for element in elements if isinstance(element, ast.Constant)]
    if len(values) != len(elements) or not all(isinstance(value, bool | int | float | str) for value in values):
        raise ConditionError(f"'{ast.unparse(node)}': compare with a text, a number, or several in parentheses")
    return [value for value in values if isinstance(value, bool | int | float | str)]


def _contains(node: ast.expr, part: object) -> Test:
    """`"h100" in gpu`: a text within a text."""
    if not isinstance(node, ast.Name) or not isinstance(part, str):
        raise ConditionError('write a text in quotes before in, and a fact after it: "h100" in gpu')
    name = node.id
    if _kind(name).type != "text":
        raise ConditionError(f"{name} is no text")
    return lambda setup: _answer(setup.facts.get(name), name, name, lambda value: part.lower() in str(value))


def _compared(left: ast.expr, op: ast.cmpop, values: list[Value]) -> Test:
    if not isinstance(op, ast.In) and (
        len(values) != 1 or not isinstance(op, ast.Eq | ast.Lt | ast.LtE | ast.Gt | ast.GtE)
    ):
        raise ConditionError("compare with ==, !=, <, <=, >, >= or in")
    if isinstance(left, ast.Name):
        return _compared_fact(left.id, op, values)
    if not isinstance(left, ast.Call):
        raise ConditionError(f"'{ast.unparse(left)}': write a fact or a function before the comparison")
    function, text = _argument(left)
    match function:
        case "version":
            return _compared_version(package_name(text), op, values)
        case "setting":
            return lambda setup: _answer(_setting(setup, text), text, text, _check(op, values))
        case "flag":
            name = text.lstrip("-")
            return lambda setup: _answer(setup.flags.get(name) or _no_flag(setup), text, text, _check(op, values))
        case "env":
            return lambda setup: _answer(
                setup.variables.get(text) or _no_variable(setup), text, text, _check(op, values)
            )
    raise ConditionError(f"{function}(...) is yes or no: leave the comparison out")


def _setting(setup: Setup, key: str) -> Fact | None:
    """The setting, or its absence where a file of its kind was read."""
    kind = key.partition(".")[0]
    return setup.settings.get(key) or (_absent(f"{kind} file") if kind in setup.read_kinds else None)


def _no_flag(setup: Setup) -> Fact | None:
    return _absent("command") if setup.has_command else None


def _no_variable(setup: Setup) -> Fact | None:
    return _absent("env") if setup.lists_all_variables else None


def _absent(where: str) -> Fact:
    return Fact("not set", Place(where))


def _compared_fact(name: str, op: ast.cmpop, values: list[Value]) -> Test:
    kind = _kind(name)
    for value in values:
        is_range = kind.type == "version" and isinstance(value, str) and allowed_by(value) is not None
        if not is_range and (problem := kind.problem_with(value)):
            raise ConditionError(f"{name} {problem}")
    if kind.type == "version":
        return lambda setup: _by_version(setup.facts.get(name), name, op, values)
    return lambda setup: _answer(setup.facts.get(name), name, name, _check(op, values))


def _check(op: ast.cmpop, values: list[Value]) -> Callable[[Value], bool]:
    """The comparison as a function of the value that is there."""
    if isinstance(op, ast.Eq | ast.In):
        return lambda value: any(_is_same(value, wanted) for wanted in values)
    order, bound = ORDERS[type(op)], values[0]
    if not isinstance(bound, int | float):
        raise ConditionError("only numbers and versions have an order")
    return lambda value: _is_number(value) and order(float(value), float(bound))


def _is_same(value: Value, wanted: Value) -> bool:
    """Equal, whether a file writes a value as text or as what it is: "2" and 2, "true" and True."""
    return value == wanted or _written(value).lower() == _written(wanted).lower()


def _is_number(value: Value) -> bool:
    try:
        return float(value) == float(value)
    except (ValueError, OverflowError):
        return False


# Versions


def _by_version(fact: Fact | None, name: str, op: ast.cmpop, values: list[Value]) -> Answer:
    if fact is None:
        return Answer(None, missing=(name,))
    version = as_version(str(fact.value))
    if version is None:
        return Answer(None, missing=(name,))
    return Answer(_lies(exactly(version), op, values), (f"{name} is {fact.value} ({fact.place})",))


def _compared_version(name: str, op: ast.cmpop, values: list[Value]) -> Test:
    for value in values:
        if not isinstance(value, str) or allowed_by(value) is None:
            raise ConditionError(f'{value!r} is no version: write it in quotes, such as "2.3" or ">=2.1,<2.4"')

    def test(setup: Setup) -> Answer:
        package = setup.packages.get(name)
        if package is None or package.allowed is None:
            installed = _is_installed(setup, name)
            return installed if installed.holds is False else Answer(None, missing=(f"the version of {name}",))
        reason = f"{name} {package.allowed.text} ({package.place})"
        lies = _lies(package.allowed, op, values)
        return Answer(lies, (reason,), () if lies is not None else (f"the exact version of {name}",))

    return test


def _lies(allowed: Allowed, op: ast.cmpop, values: list[Value]) -> bool | None:
    """Whether what is installed lies where the comparison says; None where it may or may not."""
    answers = [_lies_in(allowed, _wanted(op, str(value))) for value in values]
    if any(answers):
        return True
    return None if None in answers else False


def _wanted(op: ast.cmpop, text: str) -> Allowed:
    sign = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}.get(type(op), "")
    wanted = allowed_by(sign + text)
    if wanted is None:
        raise ConditionError(f"'{sign}{text}' is no version")
    return wanted


def _lies_in(allowed: Allowed, wanted: Allowed) -> bool | None:
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
