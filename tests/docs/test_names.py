"""Files, variables, make targets and commands that pages name are there."""

import re
import shlex
from collections.abc import Iterator
from itertools import chain

import pytest
from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand, CommandError, CommandParser
from faultbook.__main__ import parser_of as client_parser
from faultbook.commands import COMMANDS as CLIENT_COMMANDS
from faultbook.completion import actions

from config.embedded.layout import ROOT
from tests.docs.markdown import GUIDES, Page, pages

PATH = re.compile(r"[\w.*-]+(?:/[\w.*-]+)*/?")
FILE = re.compile(r"[\w*-]+\.(?:py|ya?ml|md|json|jsonl|toml)")
VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|LOCAL|DEBUG|PORT|PYTHON|RESET|CHROMIUM|ONLY|PUBLISH|UPGRADE")
TARGET = re.compile(r"(?<![\w/])make ([a-z][a-z-]*)")
SAID = re.compile(r"(?:^|\s)#.*$", re.MULTILINE)
COMMAND = re.compile(r"manage\.py ([a-z]\w*)([^`\n|&;>#]*)")
OPTION = re.compile(r"(?<!\S)\[?(--[a-z][a-z-]*)")
# Made when it runs, or by those who follow the page.
MADE = {
    "run.env", "METHOD.md", "kb/starter/records/owner__name/123.yaml", "DATA.md", "LICENCE.md", "datapackage.json",
    "datasette.json", "manifest.json",
}  # fmt: skip
READ = (
    "config/**/*.py",
    "client/faultbook/**/*.py",
    "kb/search/*.py",
    "tests/support/servers.py",
    "tests/e2e/*.py",
    "Makefile",
    "compose.yaml",
    ".env.example",
)


def named_files(page: Page) -> Iterator[tuple[str, str]]:
    """Each file or folder of ours that a line names, and the folder named before it on that line."""
    tops = {path.name for path in ROOT.iterdir()}
    for line in page.prose.splitlines():
        folder = ""
        for span in re.findall(r"`([^`]+)`", line):
            is_below_top = PATH.fullmatch(span) and "/" in span and span.split("/")[0] in tops
            if is_below_top or FILE.fullmatch(span):
                yield span, folder
            if is_below_top:
                folder = span if span.endswith("/") else span.rpartition("/")[0]


@pytest.mark.parametrize("page", GUIDES, ids=str)
def test_files_and_folders_are_there(page: Page) -> None:
    lost = [
        name
        for name, folder in named_files(page)
        if name not in MADE and not any(ROOT.glob(name)) and not any((ROOT / folder).glob(name))
    ]
    assert lost == []


@pytest.mark.parametrize("page", GUIDES, ids=str)
def test_variables_are_read_by_something(page: Page) -> None:
    texts = [path.read_text(encoding="utf-8") for pattern in READ for path in ROOT.glob(pattern)]
    known = set(chain.from_iterable(re.findall(r"\w+", text) for text in texts))
    spans = (re.findall(r"(?<![\w$])[A-Z][A-Z0-9_]+(?![\w.*])", span) for span in page.spans)
    named = {name for name in chain.from_iterable(spans) if VARIABLE.fullmatch(name)}
    assert named - known == set()


@pytest.mark.parametrize("page", GUIDES, ids=str)
def test_make_targets_are_there(page: Page) -> None:
    targets = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    code = chain(page.spans, (SAID.sub("", block) for block in page.blocks("", "sh")))
    assert {name for text in code for name in TARGET.findall(text)} - targets == set()


def parser_of(name: str) -> tuple[CommandParser, BaseCommand]:
    command = load_command_class(get_commands()[name], name)
    return command.create_parser("manage.py", name), command


def named_commands(page: Page) -> list[tuple[str, str]]:
    """Each command of `manage.py` that a page names, with what follows it."""
    return [found for text in chain(page.spans, page.blocks("", "sh")) for found in COMMAND.findall(text)]


@pytest.mark.parametrize("page", GUIDES, ids=str)
def test_commands_are_there_and_take_what_stands_behind_them(page: Page) -> None:
    wrong = []
    for name, rest in named_commands(page):
        if name not in get_commands():
            wrong.append(f"{name}: no command")
            continue
        parser, _ = parser_of(name)
        unknown = set(OPTION.findall(rest)) - set(parser._option_string_actions)
        wrong += [f"{name} {option}: no option" for option in sorted(unknown)]
        # A name alone in a sentence, or with brackets and bars, tells of a command; all else is to be typed.
        if rest.strip() and not re.search(r"[\[\]]|\.\.\.", rest):
            try:
                parser.parse_args(shlex.split(rest))
            except CommandError as error:
                wrong.append(f"{name}{rest}: {error}")
    assert wrong == []


@pytest.mark.parametrize("page", GUIDES, ids=str)
def test_options_of_a_table_belong_to_a_command_of_the_page(page: Page) -> None:
    commands = [name for name, _ in named_commands(page) if name in get_commands()]
    known = {option for name in commands for option in parser_of(name)[0]._option_string_actions}
    if "faultbook " in page.text:
        known |= {option for action in actions(client_parser(CLIENT_COMMANDS)) for option in action.option_strings}
    spans = (span for span in page.spans if re.fullmatch(r"--[a-z][a-z-]*(?: .*)?", span))
    assert {span.split()[0] for span in spans} - known - NOT_OURS == set()


# Options of other programs, which pages speak of.
NOT_OURS = {"--concurrency", "--flag", "--locale-provider", "--no-unlogged-table-data", "--tensor-parallel-size"}


@pytest.mark.parametrize("page", [*pages(), *pages("compose.yaml", ".env.example")], ids=str)
def test_valkey_is_what_runs_and_redis_what_it_is_compatible_with(page: Page) -> None:
    assert re.findall(r".*\bRedis\b(?!-compatible).*", page.text) == []


def test_names_are_found() -> None:
    files = {name for page in GUIDES for name, _ in named_files(page)}
    assert {"kb/codebook/house.yaml", "request.py", "kb/migrations/sql/functions.sql", "docs/"} <= files
    assert {"diagnose", "import_study", "demo_project"} <= {name for page in GUIDES for name, _ in named_commands(page)}
