"""Conditions: what must be true of a set-up, as a small expression that holds, does not hold, or is not known.

Python's syntax, a part of it: `and`, `or`, `not`, parentheses, one comparison at a time, facts of `vocabulary.yaml` by
name, texts and numbers, and these functions:

    version("torch") < "2.7"     also ==, !=, <=, >, >= and: version("torch") in ">=2.1,<2.4"
    installed("torchao")         whether the package is there
    setting("deepspeed.zero_optimization.overlap_comm") == True     a key of a configuration, by the kind of its file
    flag("--overlap-grad-reduce")     whether a launch command has it, or: flag("--dtype") == "half"
    ":" in flag("--nnodes")      whether a text is a part of it
    env("NCCL_P2P_DISABLE") == "1"    an environment variable
    uses("DPOTrainer")           whether a script names it
    any                          every set-up

Every expression ends, and no set-up makes it fail: what is not known stays unknown (Kleene's three values), and a value
of another type than the one compared with is unequal. `not known` names the facts to ask for. Total and pure.
"""

import ast
from collections.abc import Callable
from functools import lru_cache, partial

from kb.core.setups.answers import Answer, ConditionError, Test, all_of, any_of, by_fact, negated
from kb.core.setups.comparisons import value_check, version_fact_test, version_test
from kb.core.setups.facts import Fact, Setup, Value
from kb.core.setups.lookups import fact_of, flag_of, has_flag, is_installed, is_used, setting_of, text_of, variable_of
from kb.core.setups.vocabulary import FactKind, vocabulary
from kb.core.versions import allowed_by, package_name

MAX_LENGTH, MAX_DEPTH = 600, 12


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
            return all_of([_test_of(value, depth - 1) for value in values])
        case ast.BoolOp(op=ast.Or(), values=values):
            return any_of([_test_of(value, depth - 1) for value in values])
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return negated(_test_of(operand, depth - 1))
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


def _bool_fact(name: str) -> Test:
    kind = _kind(name)
    if kind.type != "bool":
        raise ConditionError(f"{name} is no yes or no: compare it with a value")
    return _looked_up(fact_of, name, lambda value: value is True)


def _kind(name: str) -> FactKind:
    kind = vocabulary().get(name)
    if kind is None:
        raise ConditionError(f"'{name}' is not in vocabulary.yaml: add it there with its meaning, or use another fact")
    return kind


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
            return lambda setup: is_installed(setup, package_name(text))
        case "uses":
            return lambda setup: is_used(setup, text)
        case "flag":
            return lambda setup: has_flag(setup, text)
        case "version" | "setting" | "env":
            raise ConditionError(f"{name}(...) is no yes or no: compare it with a value")
    raise ConditionError(f"there is no function {name}")


def _comparison(left: ast.expr, op: ast.cmpop, right: ast.expr) -> Test:
    if isinstance(op, ast.In | ast.NotIn) and isinstance(left, ast.Constant):
        test = _contains(right, left.value)
        return negated(test) if isinstance(op, ast.NotIn) else test
    values = _constants(right)
    if isinstance(op, ast.NotEq):
        return negated(_compared(left, ast.Eq(), values))
    if isinstance(op, ast.NotIn):
        return negated(_compared(left, ast.In(), values))
    return _compared(left, op, values)


def _constants(node: ast.expr) -> list[Value]:
    elements = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
    values = [element.value for element in elements if isinstance(element, ast.Constant)]
    if len(values) != len(elements) or not all(isinstance(value, bool | int | float | str) for value in values):
        raise ConditionError(f"'{ast.unparse(node)}': compare with a text, a number, or several in parentheses")
    return [value for value in values if isinstance(value, bool | int | float | str)]


LOOKS: dict[str, Callable[[Setup, str], Fact | None]] = {
    "setting": setting_of,
    "flag": flag_of,
    "env": variable_of,
}


def _contains(node: ast.expr, part: object) -> Test:
    """`"h100" in gpu`, `":" in flag("--nnodes")`: a text within a text."""
    if not isinstance(node, ast.Name | ast.Call) or not isinstance(part, str):
        raise ConditionError('write a text in quotes before in, and a fact after it: "h100" in gpu')
    sought = part.lower()
    if isinstance(node, ast.Call):
        function, name = _argument(node)
        if function not in LOOKS:
            raise ConditionError(f"{function}(...) is no text")
        return _looked_up(LOOKS[function], name, lambda value: sought in str(value).lower())
    if _kind(node.id).type != "text":
        raise ConditionError(f"{node.id} is no text")
    look = partial(text_of, part=sought)
    return _looked_up(look, node.id, lambda value: sought in str(value))


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
    if function == "version":
        return version_test(package_name(text), op, values)
    if function in LOOKS:
        return _looked_up(LOOKS[function], text, value_check(op, values))
    raise ConditionError(f"{function}(...) is yes or no: leave the comparison out")


def _compared_fact(name: str, op: ast.cmpop, values: list[Value]) -> Test:
    kind = _kind(name)
    for value in values:
        is_range = kind.type == "version" and isinstance(value, str) and allowed_by(value) is not None
        if not is_range and (problem := kind.problem_with(value)):
            raise ConditionError(f"{name} {problem}")
    if kind.type == "version":
        return version_fact_test(name, op, values)
    return _looked_up(fact_of, name, value_check(op, values))


def _looked_up(look: Callable[[Setup, str], Fact | None], name: str, check: Callable[[Value], bool]) -> Test:
    return lambda setup: by_fact(look(setup, name), name, check)
