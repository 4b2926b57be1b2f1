"""Conditions as people read them: `zero_stage == 3 and lora` is "ZeRO stage 3 and LoRA or other adapters"."""

import ast
from functools import lru_cache

from kb.core.setups.vocabulary import vocabulary

NOT_SET = "not set"
ORDERS = {ast.Lt: "<", ast.LtE: "≤", ast.Gt: ">", ast.GtE: "≥"}
# What a function's text names, beside the text itself.
CALLS = {"installed": "{} installed", "uses": "a script that uses {}", "flag": "{}", "setting": "{}", "env": "{}"}


@lru_cache(maxsize=2048)
def in_words(expression: str) -> str:
    """The condition, which compiles, in words; `any` and none give an empty text."""
    if expression.strip() in ("", "any"):
        return ""
    return _words(ast.parse(expression.strip(), mode="eval").body)


def _words(node: ast.expr, *, inside: bool = False) -> str:
    match node:
        case ast.BoolOp(op=operation, values=values):
            word = " and " if isinstance(operation, ast.And) else " or "
            text = word.join(_words(value, inside=True) for value in values)
            return f"({text})" if inside else text
        case ast.UnaryOp(operand=operand):
            return f"not {_words(operand, inside=True)}"
        case ast.Compare(left=left, ops=[operation], comparators=[right]):
            return _compared(left, operation, right)
    return _named(node)


def _named(node: ast.expr) -> str:
    """A fact by its name, a function by what its text names."""
    match node:
        case ast.Name(id=name):
            kind = vocabulary().get(name)
            return kind.name if kind else name
        case ast.Call(func=ast.Name(id=function), args=[ast.Constant(value=str(text))]):
            return CALLS.get(function, "{}").format(text)
    return ast.unparse(node)


def _compared(left: ast.expr, operation: ast.cmpop, right: ast.expr) -> str:
    if isinstance(left, ast.Constant):
        word = "without" if isinstance(operation, ast.NotIn) else "with"
        where = " in its name" if isinstance(right, ast.Name) else ""
        return f"{_named(right)} {word} “{_value(left)}”{where}"
    values, name = _values(right), _named(left)
    if values == [NOT_SET]:
        return f"{name} {'not ' if isinstance(operation, ast.Eq) else ''}set"
    if type(operation) in ORDERS:
        return f"{name} {ORDERS[type(operation)]} {values[0]}"
    if isinstance(operation, ast.NotEq | ast.NotIn):
        return f"{name} other than {_either(values)}"
    is_written = isinstance(left, ast.Call) and not isinstance(operation, ast.In)
    return f"{name} {'= ' if is_written else ''}{_either(values)}"


def _values(node: ast.expr) -> list[str]:
    elements = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
    return [_value(element) for element in elements]


def _value(node: ast.expr) -> str:
    if not isinstance(node, ast.Constant):
        return ast.unparse(node)
    return str(node.value).lower() if isinstance(node.value, bool) else str(node.value)


def _either(values: list[str]) -> str:
    *others, last = values
    return f"{', '.join(others)} or {last}" if others else last
