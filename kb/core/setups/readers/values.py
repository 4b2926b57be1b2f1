"""Values of expressions in scripts that can be read without running them: constants, names set once, dictionaries."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from kb.core.setups.facts import Value


@dataclass
class Module:
    """What a script holds, before it is told to a draft."""

    calls: list[ast.Call] = field(default_factory=list)
    dicts: list[ast.expr] = field(default_factory=list)
    constants: dict[str, ast.expr | None] = field(default_factory=dict)
    imported: dict[str, str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    # Keys that are set, or may be, of dictionaries after they stand there; an empty one is any.
    changed: dict[str, set[str]] = field(default_factory=dict)
    # Variables of the environment that it sets, with the line.
    variables: list[tuple[str, ast.expr, int]] = field(default_factory=list)


def variables_set(node: ast.AST) -> Iterator[tuple[str, ast.expr, int]]:
    """The variables of the environment that a statement or call sets, with value and line."""
    match node:
        case ast.Assign(targets=[ast.Subscript(value=target, slice=ast.Constant(value=str(name)))], value=value):
            if dotted(target) in ("os.environ", "environ"):
                yield name, value, node.lineno
        case ast.Call(func=function, args=[ast.Constant(value=str(name)), value]):
            if dotted(function) in ("os.environ.setdefault", "environ.setdefault", "os.putenv"):
                yield name, value, node.lineno
        case ast.Call(func=function, args=args, keywords=keywords):
            if dotted(function) in ("os.environ.update", "environ.update"):
                given = [*(entry for each in args for entry in entries_of(each)), *named_arguments(keywords)]
                yield from ((name, value, node.lineno) for name, value in given)


def named_arguments(keywords: list[ast.keyword]) -> Iterator[tuple[str, ast.expr]]:
    """The arguments that have a name."""
    return ((keyword.arg, keyword.value) for keyword in keywords if keyword.arg)


def spread(keywords: list[ast.keyword], module: Module) -> Iterator[tuple[str, ast.expr] | None]:
    """All arguments by name, also those of `**options` where that is a dictionary; None where it is not known."""
    for keyword in keywords:
        if keyword.arg:
            yield keyword.arg, keyword.value
            continue
        changed = module.changed.get(keyword.value.id, set()) if isinstance(keyword.value, ast.Name) else set()
        options = resolved(keyword.value, module)
        if not is_mapping(options) or "" in changed:
            yield None
            continue
        yield from ((key, value) for key, value in entries_of(options) if key not in changed)
        if changed:
            yield None


def note_change(node: ast.AST, module: Module) -> None:
    """Note variables that are set, and keys that a dictionary gets later: options["dtype"] = "half"."""
    module.variables += variables_set(node)
    match node:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=key)]):
            text = key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""
            module.changed.setdefault(name, set()).add(text)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="update" | "setdefault" | "pop")):
            module.changed.setdefault(name, set()).add("")


def keys_set(node: ast.AST) -> set[str]:
    """The keyword or a dictionary's keys that are set to something; False and None switch off."""
    match node:
        case ast.keyword(arg=str(name), value=value):
            pairs: list[tuple[str, ast.expr]] = [(name, value)]
        case ast.Dict(keys=keys, values=values):
            named = zip(keys, values, strict=True)
            pairs = [(str(key.value), value) for key, value in named if isinstance(key, ast.Constant)]
        case _:
            return set()
    return {name for name, value in pairs if not _is_off(value)}


def _is_off(value: ast.expr) -> bool:
    """False, None, or the plain format of an answer: {"type": "text"}."""
    if isinstance(value, ast.Constant):
        return value.value is False or value.value is None
    plain = [(key, each.value) for key, each in entries_of(value) if isinstance(each, ast.Constant)]
    return plain == [("type", "text")]


def dotted(node: ast.expr) -> str:
    """The dotted name of a function or attribute; empty where it is no plain one."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < 6:
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ".".join(reversed(parts)) if parts else ""
    return ".".join([node.id, *reversed(parts)])


def resolved(expression: ast.expr, module: Module) -> ast.expr:
    """The value of a name that is set once."""
    for _ in range(4):
        if not isinstance(expression, ast.Name):
            break
        value = module.constants.get(expression.id)
        if value is None:
            break
        expression = value
    return expression


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
    for key, value in entries_of(resolved(expression, module)) if depth else ():
        below = resolved(value, module)
        if is_mapping(below):
            yield from ((f"{key}.{inner}", item) for inner, item in flattened(value, module, depth - 1))
        elif not (isinstance(below, ast.Constant) and below.value is None):
            yield key, literal(value, module)


def is_mapping(expression: ast.expr) -> bool:
    """Whether it is a dictionary: `{"a": 1}` or `dict(a=1)`."""
    return isinstance(expression, ast.Dict) or (isinstance(expression, ast.Call) and dotted(expression.func) == "dict")


def entries_of(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The keys and values of a dictionary that stands there."""
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key.value, value
    elif isinstance(node, ast.Call) and is_mapping(node):
        yield from named_arguments(node.keywords)
