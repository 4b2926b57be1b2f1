"""Cuts Plotly's bundle down to the kinds of traces that are drawn here.

The bundle is what esbuild writes: modules (`var X=W((exports,module)=>{...});`) and functions, which run when somebody
calls them. One module registers the traces. Its list is shortened, what nothing mentions any more is left out, and so
is the wrapper around all of it, which would make a browser parse everything twice.
"""

import re
from collections.abc import Collection
from typing import NamedTuple

BEGINNING = b'"use strict";var Plotly=(()=>{'
END = b"})();"
REGISTERED = re.compile(rb"\.register\(\[((?:[\w$]+\(\),?)+)\]\)")
# `A=W((e,m)=>{"use strict";m.exports=B()})`: a module that only hands on another.
HANDED_ON = re.compile(rb'[\w$]+=W\(\([\w$]+,([\w$]+)\)=>\{"use strict";\1\.exports=([\w$]+)\(\)\}\)')
TRACE_NAME = re.compile(rb'moduleType:"trace",name:"(\w+)"')
NAME = re.compile(rb"[A-Za-z_$][\w$]*")
# What stands before the first bracket of a module or a function.
LAZY = re.compile(rb"(?<=[ ,])(?P<module>[\w$]+)=(?:W|Ea)$|(?<=[;}])function\*? ?(?P<function>[\w$]+)$")
# Brackets, and whatever may hold brackets that are none: strings, templates (one within another too), comments and
# regular expressions, which are told from divisions by what stands before them.
TOKEN = re.compile(
    rb"""
    "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'
    | `(?:[^`\\$]|\\.|\$(?!\{)|\$\{(?:[^`{}]|`[^`]*`)*\})*`
    | /\*.*?\*/ | //[^\n]*
    | (?:(?<=[=(,:;!&|?{}\[>+*~^%-])|(?<=return)|(?<=typeof)|(?<=case)|(?<=\n))
      /(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/
    | (?P<open>[({\[]) | (?P<close>[)}\]])
    """,
    re.DOTALL | re.VERBOSE,
)


class UnknownBundleError(Exception):
    """The bundle is not built as expected: a newer Plotly may be."""


class Part(NamedTuple):
    """A part of the bundle that runs at once or, if it has a name, when that is called."""

    text: bytes
    name: bytes = b""


def cut(bundle: bytes, traces: Collection[str]) -> bytes:
    """The bundle with these kinds of traces only, besides scatter, which is always there.

    Raises UnknownBundleError where the bundle is not understood.
    """
    begins, last = bundle.find(BEGINNING), bundle.rfind(END)
    notice_ends = bundle.find(b"*/") + 2
    if not 2 <= notice_ends <= begins < last:
        raise UnknownBundleError("nothing makes `Plotly` in it")
    body = _registering(bundle[begins + len(BEGINNING) : last], traces)
    licences = bundle[last + len(END) : bundle.rindex(b"*/") + 2]
    return b"".join((bundle[:notice_ends], b"\n", BEGINNING, _without_unused(body), END, licences))


def _registering(body: bytes, traces: Collection[str]) -> bytes:
    """The body with the list of registered traces shortened to these."""
    registered = REGISTERED.search(body)
    if not registered:
        raise UnknownBundleError("no list of traces is registered in it")
    calls = {_trace_name(body, call[:-2]): call for call in registered[1].split(b",")}
    missing = set(traces) - calls.keys() - {"scatter"}
    if missing:
        raise UnknownBundleError(f"it does not register {', '.join(sorted(missing))}")
    kept = b",".join(call for trace, call in calls.items() if trace in traces)
    return body[: registered.start(1)] + kept + body[registered.end(1) :]


def _trace_name(body: bytes, module: bytes) -> str:
    """The kind of trace that a module makes, or the module's name where it is none or does not say."""
    handed_on = HANDED_ON.match(body, _declaration(body, module))
    begins = _declaration(body, handed_on[2]) if handed_on else len(body)
    trace = TRACE_NAME.search(body, begins, body.find(b"=W(", begins + len(b"var B=W(")))
    return trace[1].decode() if trace else module.decode()


def _declaration(body: bytes, module: bytes) -> int:
    """Where a module is declared; the end of the body where it is not."""
    place = body.find(b"var " + module + b"=W(")
    return place + len(b"var ") if place >= 0 else len(body)


def _without_unused(body: bytes) -> bytes:
    parts = _parts(body)
    lazy = {part.name: part for part in parts if part.name}
    used: set[bytes] = set()
    pending = [part for part in parts if not part.name]
    while pending:
        # Every word counts as a name, so that none is missed.
        names = lazy.keys() & set(NAME.findall(pending.pop().text)) - used
        used |= names
        pending += [lazy[name] for name in names]
    kept = []
    for part in parts:
        if not part.name or part.name in used:
            kept.append(part.text)
        elif not part.text.startswith(b"function"):
            # A variable stays declared, so that the statement around it stays whole.
            kept.append(part.name)
    return b"".join(kept)


def _parts(body: bytes) -> list[Part]:
    """Functions and modules, and what stands between them."""
    parts: list[Part] = []
    lazy: re.Match[bytes] | None = None
    begins = ends = depth = 0
    for token in TOKEN.finditer(body):
        if token["open"]:
            if depth == 0 and lazy is None:
                lazy = LAZY.search(body, ends, token.start())
            depth += 1
        elif token["close"]:
            depth -= 1
            ends = token.end()
            # The first bracket that a function closes is that of its parameters.
            if depth == 0 and lazy and (lazy["module"] or token[0] == b"}"):
                parts.append(Part(body[begins : lazy.start()]))
                parts.append(Part(body[lazy.start() : ends], lazy["module"] or lazy["function"]))
                begins, lazy = ends, None
    if depth:
        raise UnknownBundleError("its brackets do not fit")
    return [*parts, Part(body[begins:])]
