"""Python scripts and notebooks: names that are used, and the arguments of calls that set up training or serving.

By the syntax tree; a script that is cut or has a mistake, by the calls that can be read in it. Nothing is run.
Which calls count stands in `constructors.yaml`.
"""

import ast
import re
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from kb.core.setups.facts import Place, Value
from kb.core.setups.readers.configurations import KINDS, NESTED, note_reference
from kb.core.setups.readers.draft import Draft, Rank
from kb.core.setups.readers.notebooks import without_magics
from kb.core.setups.readers.plain_calls import tell_plain_call
from kb.core.setups.readers.values import (
    Module,
    dotted,
    entries_of,
    flattened,
    is_mapping,
    keys_set,
    literal,
    note_change,
    resolved,
    spread,
)
from kb.core.yaml_files import Strict, read_yaml

CONSTRUCTORS = Path(__file__).with_name("constructors.yaml")
# A block in a longer text that has fewer lines is an excerpt: what it does not name, the script may.
LEAST_LINES = 15
MAX_SCRIPT, MAX_CALL, MAX_CALLS = 300_000, 6_000, 60
PROMPT = re.compile(r"^(?:>>> ?|\.\.\. ?|In \[\d*\]: ?)", re.MULTILINE)
IMPORT = re.compile(r"^[ \t]{0,40}(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+\S|import[ \t]+([\w.]+))", re.MULTILINE)
CALL = re.compile(r"(?<![\w.])((?:[A-Za-z_]\w{0,60}\.){0,3}[A-Za-z_]\w{0,60})\(")
# How Python prints a value of an enumeration: <SaveStrategy.STEPS: 'steps'>, IntervalStrategy.NO.
PRINTED = re.compile(r"<\w{1,60}\.\w{1,60}: ('[^'\n]{0,60}'|\d{1,9})>")
WORD = re.compile(r"[A-Za-z_]\w{0,99}")
DEEPSPEED = next(kind for kind in KINDS if kind.name == "deepspeed")


class Constructor(Strict):
    """A call that `constructors.yaml` explains."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    prefix: str = ""
    positional: tuple[str, ...] = ()
    also_name: tuple[str, ...] = ()
    whole: bool = False
    facts: dict[str, Value] = {}


@cache
def constructors() -> dict[str, Constructor]:
    """The calls by name. Raises `pydantic.ValidationError`."""
    every = TypeAdapter(dict[str, Constructor]).validate_python(read_yaml(CONSTRUCTORS))
    return {name: each for each in every.values() for name in each.names}


def tree_of(text: str) -> ast.Module | None:
    """The syntax tree of a text that is Python, also with prompts and IPython's magics; else None."""
    if len(text) > MAX_SCRIPT or not _may_be_script(text):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _parsed(text) or _parsed(without_magics(PROMPT.sub("", text)))


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _may_be_script(text: str) -> bool:
    if IMPORT.search(text):
        return True
    return any(name in text for name in _last_names())


@cache
def _last_names() -> frozenset[str]:
    return frozenset(f"{name.rpartition('.')[2]}(" for name in constructors())


def read_script(text: str, name: str, offset: int, draft: Draft, *, is_part: bool = False) -> bool:
    """Read a text that is a script; whether it is one. A part of a text may show some lines of a script only."""
    tree = tree_of(text)
    if tree is None:
        return False
    module = Module()
    for node in _walk(tree):
        _note(node, module)
        note_change(node, module)
    _tell(module, name, offset, draft)
    is_excerpt = is_part and (text.count("\n") < LEAST_LINES or not IMPORT.search(text))
    draft.has_script |= not is_excerpt
    draft.add_source(name, "Python script")
    return True


def read_calls(text: str, name: str, offset: int, draft: Draft, *, is_code: bool = False) -> bool:
    """Read what can be read of a script that is cut, or stands among other text; whether anything was."""
    text = PROMPT.sub("", text) if ">>>" in text else text
    module = Module()
    tries = 0
    may_call = any(name in text for name in _last_names())
    for number, match in enumerate(CALL.finditer(text) if may_call else ()):
        if number > 20_000 or tries >= MAX_CALLS:
            break
        if _constructor(match[1]) is None:
            continue
        tries += 1
        call = _call_at(text, match)
        if call is not None:
            ast.increment_lineno(call, text.count("\n", 0, match.start()))
            module.calls.append(call)
            module.names.update(_dotted_parts(match[1]))
    imports = list(IMPORT.finditer(text))
    if not module.calls and len(imports) < 2 - is_code:
        return False
    module.names.update(WORD.findall(text) if imports else ())
    module.imported.update({match[1] or match[2]: match[1] or match[2] for match in imports})
    _tell(module, name, offset, draft)
    # Names that are not there may stand in what was cut.
    draft.add_source(name, "Python script", "in part")
    return True


def _call_at(text: str, match: re.Match[str]) -> ast.Call | None:
    """The call that begins here, if its end is near."""
    depth = 0
    for position in range(match.end() - 1, min(len(text), match.start() + MAX_CALL)):
        sign = text[position]
        depth += (sign in "([{") - (sign in ")]}")
        if depth == 0:
            try:
                node = ast.parse(PRINTED.sub(r"\1", text[match.start() : position + 1]), mode="eval").body
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return None
            return node if isinstance(node, ast.Call) else None
    return None


def _walk(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes, in the order of the text; no recursion, for trees may be deep."""
    stack = [tree]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(list(ast.iter_child_nodes(node))))


def _note(node: ast.AST, module: Module) -> None:
    match node:
        case ast.Import(names=names):
            for alias in names:
                module.names.add(alias.name)
                module.names.add(alias.name.partition(".")[0])
                module.imported[alias.asname or alias.name.partition(".")[0]] = alias.name
        case ast.ImportFrom(module=str(source), names=names):
            module.names.add(source)
            module.names.add(source.partition(".")[0])
            module.imported.update({alias.asname or alias.name: f"{source}.{alias.name}" for alias in names})
        case ast.Call():
            module.calls.append(node)
            module.dicts += [node] if is_mapping(node) else []
        case ast.Dict():
            module.dicts.append(node)
            module.names.update(keys_set(node))
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            # A name that is set twice may be either.
            module.constants[name] = None if name in module.constants else value
        case ast.Name(id=name):
            module.names.add(name)
            module.names.add(module.imported.get(name, name).rpartition(".")[2])
        case ast.Attribute():
            module.names.update(_dotted_parts(dotted(node)))
            module.names.add(node.attr)
        case ast.keyword():
            module.names.update(keys_set(node))


def _dotted_parts(name: str) -> set[str]:
    return {name, name.rpartition(".")[2]} - {""}


def _constructor(name: str) -> Constructor | None:
    """The call that this name means: whole, by its last two parts, or by the last."""
    parts = name.split(".")
    for size in (len(parts), 2, 1):
        each = constructors().get(".".join(parts[-size:]))
        if each is not None:
            return each
    # A class of a model of its own: Qwen2ForCausalLM.from_pretrained.
    if len(parts) > 1 and parts[-1] == "from_pretrained" and re.search(r"For\w+$|Model$", parts[-2]):
        return constructors()["AutoModel.from_pretrained"]
    return None


# Arguments that are objects of their own, and change no default of the call.
ANOTHER_OBJECT = {"quantization_config", "peft_config", "model_init_kwargs", "callbacks", "logger"}


def _tell(module: Module, name: str, offset: int, draft: Draft) -> None:
    for node in module.calls:
        called = dotted(node.func)
        own = module.imported.get(called, called)
        place = Place(name, offset + node.lineno - 1)
        constructor = _constructor(own) or _constructor(called)
        if constructor is not None:
            _tell_call(node, constructor, module, place, draft)
        tell_plain_call(node, own, module, place, draft)
        last = own.rpartition(".")[2]
        if last == "train" and any(keyword.arg == "resume_from_checkpoint" for keyword in node.keywords):
            value = next(k.value for k in node.keywords if k.arg == "resume_from_checkpoint")
            resumes = literal(value, module)
            draft.add_fact("resumes", not isinstance(resumes, bool) or resumes, place)
        if own == "deepspeed.initialize":
            draft.add_fact("launcher", "deepspeed", place, Rank.DEFAULT)
    for mapping in module.dicts:
        _tell_dict(mapping, module, Place(name, offset + mapping.lineno - 1), draft)
    for variable, value, line in module.variables:
        text = literal(value, module)
        if text is not None:
            draft.add_variable(variable, str(text), Place(name, offset + line - 1))
    draft.names |= module.names
    draft.imports |= {source.partition(".")[0] for source in module.imported.values()}


def _tell_call(node: ast.Call, constructor: Constructor, module: Module, place: Place, draft: Draft) -> None:
    for fact, value in constructor.facts.items():
        draft.add_fact(fact, value, place)
    arguments = dict(zip(constructor.positional, node.args, strict=False))
    is_open = False
    for argument in spread(node.keywords, module):
        if argument is None:
            is_open = True
        else:
            arguments["name" if argument[0] in constructor.also_name else argument[0]] = argument[1]
    for key, expression in arguments.items():
        is_open |= not _tell_argument(constructor, key, expression, module, place, draft)
    for kind in constructor.kinds if constructor.whole and not is_open else ():
        draft.read_kinds.add(kind)


def _tell_argument(
    constructor: Constructor, key: str, expression: ast.expr, module: Module, place: Place, draft: Draft
) -> bool:
    """Take an argument over as a setting of each kind; whether its value can be read."""
    value = literal(expression, module)
    if isinstance(expression, ast.Constant) and expression.value is None:
        return True
    for kind in constructor.kinds:
        setting = f"{kind}.{constructor.prefix}{key}"
        if value is None:
            draft.unread.add(setting)
            _tell_keys(kind, f"{constructor.prefix}{key}.", expression, module, place, draft)
            continue
        draft.add_setting(kind, constructor.prefix + key, value, place)
        nested = NESTED.get(setting)
        if nested and isinstance(value, str):
            note_reference(nested, value, place, draft)
    return value is not None or is_mapping(resolved(expression, module)) or key in ANOTHER_OBJECT


def _tell_keys(kind: str, prefix: str, node: ast.expr, module: Module, place: Place, draft: Draft) -> None:
    for key, value in flattened(node, module):
        if value is None:
            draft.unread.add(f"{kind}.{prefix}{key}")
        else:
            draft.add_setting(kind, prefix + key, value, place)


def _tell_dict(node: ast.expr, module: Module, place: Place, draft: Draft) -> None:
    """A dictionary that is a DeepSpeed configuration."""
    keys = {key for key, _ in entries_of(node)}
    if not keys & DEEPSPEED.sure and len(keys & DEEPSPEED.likely) < 3:
        return
    draft.read_kinds.add("deepspeed")
    _tell_keys("deepspeed", "", node, module, place, draft)
    draft.add_source(place.file, "DeepSpeed configuration", "in a script")
