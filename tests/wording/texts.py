"""What readers see, taken from the files that hold it: templates, docs, strings of Python and JavaScript, YAML."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

import yaml

from config.embedded.layout import ROOT

APPS = ("config", "ingest", "kb", "labeling")
# Verbatim log lines, expressions and addresses, which are nobody's prose.
NO_PROSE = {"examples", "misses", "pattern", "unless", "source", "aliases", "before", "after", "code", "url"}
TAG = re.compile(r"{%.*?%}|{{.*?}}|{#.*?#}|<script.*?</script>|<[^>]+>", re.DOTALL)
COMMENTED = re.compile(r"{% comment %}.*?{% endcomment %}", re.DOTALL)
SHOWN_ATTRIBUTE = re.compile(r'(?:title|placeholder|aria-label|alt|content)="([^"{]+)"')
# What a tag is handed to show.
ARGUMENT = re.compile(r'\b(?:heading|text|title|what|here|label)="([^"]+)"')
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
# SQL and regular expressions.
NO_SENTENCE = re.compile(r"^\s*(SELECT|WITH|UPDATE|INSERT)\b|\(\?[:Pi]|\\b")
SEARCHED = re.compile(r"^also_seen:\n(?:[ -].*\n)+", re.MULTILINE)
JS_STRING = re.compile(r'"([^"\\\n]{4,})"|`([^`]{4,})`')


class Text(NamedTuple):
    """A piece of text and the file that holds it."""

    file: str
    text: str


def all_texts() -> Iterator[Text]:
    """Every piece of text that a reader meets."""
    for pattern, taken in READERS.items():
        for path in sorted(ROOT.glob(pattern)):
            if "migrations" in path.parts or path.name == "wording.md":
                continue
            for text in taken(path.read_text(encoding="utf-8")):
                yield Text(path.relative_to(ROOT).as_posix(), " ".join(text.split()))


def of_template(source: str) -> Iterator[str]:
    """The text between tags, and what attributes show."""
    source = COMMENTED.sub(" ", source)
    yield from SHOWN_ATTRIBUTE.findall(source)
    yield from ARGUMENT.findall(source)
    # A tag within a sentence does not end it.
    yield TAG.sub(" ", source)


def of_page(source: str) -> Iterator[str]:
    """A page of the docs without its code."""
    yield CODE.sub(" ", source)


def of_python(source: str) -> Iterator[str]:
    """String literals with a space in them, without docstrings and SQL."""
    tree = ast.parse(source)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {id(_first(node)) for node in ast.walk(tree) if isinstance(node, documented)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in docstrings:
            continue
        if " " in node.value and not NO_SENTENCE.search(node.value):
            yield node.value


def _first(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> ast.expr | None:
    """The value of its first statement, if it is nothing but a value."""
    first = node.body[0] if node.body else None
    return first.value if isinstance(first, ast.Expr) else None


def of_script(source: str) -> Iterator[str]:
    """String literals of JavaScript."""
    code = "\n".join(line for line in source.splitlines() if not line.lstrip().startswith("//"))
    for plain, template in JS_STRING.findall(code):
        yield plain or template


def of_yaml(source: str) -> Iterator[str]:
    """Every prose value."""
    yield from _prose(yaml.safe_load(source))


def of_record(source: str) -> Iterator[str]:
    """A curated record without what people search for, which is in their words."""
    yield SEARCHED.sub("", source)


def _prose(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            if key not in NO_PROSE:
                yield from _prose(part)
    elif isinstance(value, list):
        for part in value:
            yield from _prose(part)


READERS = {
    "templates/**/*.html": of_template,
    "templates/**/*.txt": of_template,
    "README.md": of_page,
    "CONTRIBUTING.md": of_page,
    "docs/*.md": of_page,
    "static/js/*.js": of_script,
    "kb/codebook/**/*.yaml": of_yaml,
    "kb/core/diagnosis/signals/families/*.yaml": of_yaml,
    "kb/core/quality/*.yaml": of_yaml,
    "kb/starter/records/**/*.yaml": of_record,
    **{f"{app}/**/*.py": of_python for app in APPS},
}
