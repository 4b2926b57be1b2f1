"""Cuts Plotly's bundle down to the kinds of traces that are drawn here; which file it is read from is not known here.

Plotly's own partial bundles are no Python packages, and its whole one costs a cold browser about a second more and
1 MB more: most of it draws maps and three dimensions. The bundle is what esbuild writes for CommonJS: modules that
run when first asked for (`var X = W((exports, module) => {...})`), one of which registers the traces. What
nobody asks for any more after that list is shortened is left out, and the function around all of it, which would
make the browser parse everything twice, is taken off.
"""

import re
from collections.abc import Collection, Iterator, Mapping

import tree_sitter_javascript
from tree_sitter import Language, Node, Parser

WHOLE = b'"use strict";var Plotly='
REGISTERED = re.compile(rb"\.register\(\[((?:[\w$]+\(\),?)+)\]\)")
# `A=W((e,m)=>{"use strict";m.exports=B()})`: a module that only hands on another.
HANDED_ON = re.compile(rb'[\w$]+=W\(\([\w$]+,([\w$]+)\)=>\{"use strict";\1\.exports=([\w$]+)\(\)\}\)')
NAMED = re.compile(rb'moduleType:"trace",name:"(\w+)"')
NAME = re.compile(rb"[A-Za-z_$][\w$]*")
# What wraps a module: nothing of it runs before it is asked for.
WRAPPERS = (b"W", b"Ea")


class UnknownBundleError(Exception):
    """The bundle is not built as expected: a newer Plotly may be."""


def cut(bundle: bytes, traces: Collection[str]) -> bytes:
    """The bundle with these kinds of traces only, besides scatter, which is always there.

    Raises UnknownBundleError where the bundle is not understood.
    """
    head, inner = _unwrapped(bundle)
    return head + _without_unused(_registering(inner, traces))


def _unwrapped(bundle: bytes) -> tuple[bytes, bytes]:
    """The notice at its beginning, and the statement that makes `Plotly`, which is then a global name by itself."""
    begins = bundle.find(WHOLE)
    notice_ends, last = bundle.find(b"*/") + 2, bundle.rfind(b"})();")
    if not 2 <= notice_ends <= begins < last:
        raise UnknownBundleError("nothing makes `Plotly` in it")
    ends = last + len(b"})();")
    licences = bundle[ends : bundle.rindex(b"*/") + 2]
    return bundle[:notice_ends] + b"\n", bundle[begins:ends] + licences


def _registering(bundle: bytes, traces: Collection[str]) -> bytes:
    found = REGISTERED.search(bundle)
    if not found:
        raise UnknownBundleError("no list of traces is registered in it")
    modules = {_trace_of(bundle, call[:-2]): call for call in found[1].split(b",")}
    missing = set(traces) - modules.keys() - {"scatter"}
    if missing:
        raise UnknownBundleError(f"it does not register {', '.join(sorted(missing))}")
    kept = b",".join(call for trace, call in modules.items() if trace in traces)
    return bundle[: found.start(1)] + kept + bundle[found.end(1) :]


def _trace_of(bundle: bytes, module: bytes) -> str:
    """The kind of trace that a module makes, or the module's name where it is none or does not say."""
    handed_on = HANDED_ON.match(bundle, _place(bundle, module))
    begins = _place(bundle, handed_on[2]) if handed_on else len(bundle)
    named = NAMED.search(bundle, begins, bundle.find(b"=W(", begins + len(b"var B=W(")))
    return named[1].decode() if named else module.decode()


def _place(bundle: bytes, module: bytes) -> int:
    """Where a module is declared; behind everything where it is not."""
    for before in (b"var ", b","):
        found = bundle.find(before + module + b"=W(")
        if found >= 0:
            return found + len(before)
    return len(bundle)


def _without_unused(bundle: bytes) -> bytes:
    tree = Parser(Language(tree_sitter_javascript.language())).parse(bundle)
    if tree.root_node.has_error:
        raise UnknownBundleError("it is not JavaScript as we know it")
    runs, waits = _statements(_body(tree.root_node))
    used = _used(bundle, runs, waits)
    parts, place = [], 0
    for name, node in sorted(waits.items(), key=lambda item: item[1].start_byte):
        if name in used:
            continue
        # A declared name stays, so that the statement around it stays whole.
        parts += [bundle[place : node.start_byte], name if node.type == "variable_declarator" else b""]
        place = node.end_byte
    return b"".join([*parts, bundle[place:]])


def _body(root: Node) -> Node:
    """The statements of the function that makes `Plotly`."""
    node: Node | None = root
    while node and node.type != "arrow_function":
        node = max(node.named_children, key=lambda child: child.end_byte - child.start_byte, default=None)
    body = node.child_by_field_name("body") if node else None
    if body is None:
        raise UnknownBundleError("no function makes `Plotly`")
    return body


def _statements(body: Node) -> tuple[list[Node], dict[bytes, Node]]:
    """What runs at once, and by name what waits to be called."""
    runs: list[Node] = []
    waits: dict[bytes, Node] = {}
    for node in _declared(body):
        name = node.child_by_field_name("name")
        if name and name.text and _waits(node):
            waits[name.text] = node
        else:
            runs.append(node)
    return runs, waits


def _declared(body: Node) -> Iterator[Node]:
    for statement in body.named_children:
        if statement.type in ("variable_declaration", "lexical_declaration"):
            yield from statement.named_children
        elif statement.type != "comment":
            yield statement


def _waits(node: Node) -> bool:
    if node.type == "function_declaration":
        return True
    value = node.child_by_field_name("value") if node.type == "variable_declarator" else None
    if value is None or value.type != "call_expression":
        return value is not None and value.type in ("arrow_function", "function_expression")
    called = value.child_by_field_name("function")
    return called is not None and called.text in WRAPPERS


def _used(bundle: bytes, runs: Collection[Node], waits: Mapping[bytes, Node]) -> set[bytes]:
    """All names that what runs can come to call: every word counts as a name, so none is missed."""

    def named(node: Node) -> set[bytes]:
        return {word for word in NAME.findall(bundle, node.start_byte, node.end_byte) if word in waits}

    used: set[bytes] = set()
    rest = set().union(*map(named, runs))
    while rest:
        name = rest.pop()
        used.add(name)
        rest |= named(waits[name]) - used
    return used
