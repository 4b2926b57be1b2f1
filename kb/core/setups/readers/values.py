"""Values of expressions in scripts that can be read without running them: constants, names set once, dictionaries."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from kb.core.setups.facts import Value


@dataclass
class Module:
    """What a script holds, before it is told to a draft."""

    calls: list[ast.Call] = field(default_factory=list)
    dicts: list[ast.Dict] = field(default_factory=list)
    constants: dict[str, ast.expr | None] = field(default_factory=dict)
    imported: dict[str, str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    # Variables of the environment that it sets, with the line.
    variables: list[tuple[str, ast.expr, int]] = field(default_factory=list)


def variable_set(node: ast.AST) -> tuple[str, ast.expr, int] | None:
    """The variable of the environment that a statement or call sets, its value and its line."""
    match node:
        case ast.Assign(targets=[ast.Subscript(value=target, slice=ast.Constant(value=str(name)))], value=value):
            return (name, value, node.lineno) if dotted(target) in ("os.environ", "environ") else None
        case ast.Call(func=function, args=[ast.Constant(value=str(name)), value]):
            is_setter = dotted(function) in ("os.environ.setdefault", "environ.setdefault", "os.putenv")
            return (name, value, node.lineno) if is_setter else None
    return None


def dotted(node: ast.expr) -> str:
    """The dotted name of a function or attribute; empty where it is no plain one."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < 6:
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ".".join(reversed(parts)) if parts else ""
    return ".".join([node.id, *reversed(parts)])


def as_dict(node: ast.AST) -> ast.AST:
    """`dict(stage=3)` as `{"stage": 3}`."""
    if isinstance(node, ast.Call) and dotted(node.func) == "dict" and not node.args:
        keys: list[ast.expr | None] = [
            None if keyword.arg is None else ast.Constant(keyword.arg) for keyword in node.keywords
        ]
        return ast.copy_location(ast.Dict(keys, [keyword.value for keyword in node.keywords]), node)
    return node


def resolved(expression: ast.expr, module: Module) -> ast.AST:
    """The value of a name that is set once."""
    for _ in range(4):
        if not isinstance(expression, ast.Name):
            break
        value = module.constants.get(expression.id)
        if value is None:
            break
        expression = value
    return as_dict(expression)


def literal(expression: ast.expr, module: Module) -> Value | None:
    """A value that stands there, or that a name is set to once; None for what has to be run."""
    match resolved(expression, module):
        case ast.Constant(value=bool() | int() | float() | str() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.Attribute(value=ast.Name(id="torch"), attr=attribute):
            return attribute
        case ast.Attribute(value=ast.Name(id=owner), attr=attribute) if owner[:1].isupper() and attribute.isupper():
            # A value of an enumeration: SaveStrategy.NO.
            return attribute.lower()
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            values = [element.value for element in elements if isinstance(element, ast.Constant)]
            return ",".join(map(str, values)) if len(values) == len(elements) else None
    return None


def flattened(expression: ast.expr, module: Module, depth: int = 6) -> Iterator[tuple[str, Value | None]]:
    """The keys and values of a dictionary, its own dictionaries joined by points; None for what cannot be read."""
    node = resolved(expression, module)
    if not isinstance(node, ast.Dict) or depth == 0:
        return
    for key, value in zip(node.keys, node.values, strict=True):
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            continue
        below = resolved(value, module)
        if isinstance(below, ast.Dict):
            yield from ((f"{key.value}.{inner}", item) for inner, item in flattened(value, module, depth - 1))
        elif not (isinstance(below, ast.Constant) and below.value is None):
            yield key.value, literal(value, module)
