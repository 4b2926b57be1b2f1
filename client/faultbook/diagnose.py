"""`faultbook diagnose`: a failed run's logs, diagnosed on this machine, or by a server that the user names."""

import json
import sys
from argparse import ArgumentParser, Namespace
from contextlib import ExitStack
from io import StringIO
from pathlib import Path
from typing import cast

from faultbook.commands import add_server
from kb.core.diagnosis import command
from kb.core.diagnosis.pipeline import without_known
from kb.core.diagnosis.schema import DiagnosisData
from kb.core.setups.facts import Setup

HELP = command.HELP


def add_arguments(parser: ArgumentParser) -> None:
    """Add those of every diagnosis, and who is asked."""
    command.add_arguments(parser)
    parser.add_argument("--summary", type=Path, metavar="FILE", help="append the diagnosis in Markdown to this file")
    parser.add_argument(
        "--annotations", action="store_true", help="print what failed first as annotations of GitHub Actions"
    )
    add_server(parser, "the logs' text, with stand-ins for secrets, people, machines and folders")


def run(options: Namespace) -> int:
    """Diagnose, print, and return the exit code."""
    if not (options.summary or options.annotations):
        return _answer(options, sys.stdout)
    whole = StringIO()
    code = _answer(Namespace(**{**vars(options), "json": True}), whole)
    return code if code == command.BAD_INPUT else _show(json.loads(whole.getvalue()), options)


def _answer(options: Namespace, out: command.Output) -> int:
    return _by_server(options, out) if options.server else command.answer(options, add_known, out, sys.stderr)


def _show(data: DiagnosisData, options: Namespace) -> int:
    from faultbook.in_ci import annotations, as_markdown

    try:
        if options.summary:
            with options.summary.open("a", encoding="utf-8") as file:
                file.write(as_markdown(data))
    except OSError as error:
        print(f"{options.summary} cannot be written: {error.strerror}.", file=sys.stderr)
        return command.BAD_INPUT
    if not options.annotations:
        return command.print_whole(data, options, sys.stdout)
    for annotation in annotations(data):
        print(annotation)
    return command.EXIT_CODES[data["verdict"]]


def _by_server(options: Namespace, out: command.Output) -> int:
    from faultbook.sending import Hidden, NotSentError
    from faultbook.server import diagnosis
    from faultbook.web import WebError

    hidden = Hidden()
    try:
        with ExitStack() as opened:
            files = hidden.texts(command.input_files(options.files, opened))
            healthy = hidden.texts(command.input_files(options.healthy, opened)) if options.healthy else []
        print(hidden.summary(), file=sys.stderr)
        data = hidden.put_back(diagnosis(options.server, files, healthy))
    except (NotSentError, WebError) as error:
        print(error, file=sys.stderr)
        return command.BAD_INPUT
    except OSError as error:
        print(f"{error.filename or 'A file'} can't be read: {error.strerror}.", file=sys.stderr)
        return command.BAD_INPUT
    return command.print_whole(cast("DiagnosisData", data), options, out)


def add_known(data: DiagnosisData, setup: Setup) -> DiagnosisData:
    """The data of a diagnosis with what is known, with whole addresses where the data's server is known."""
    from faultbook.data import knowledge, warn_of_age
    from kb.core.knowledge.diagnosis import with_known
    from kb.core.knowledge.file import BadDataError

    try:
        warn_of_age()
        known = knowledge()
        found = with_known(data, setup, known)
    except BadDataError as error:
        return without_known(data, f"Known issues were not looked up: {error}")
    server = known.about.server
    return {
        **found,
        "causes": [{**cause, "url": _whole(server, cause["url"])} for cause in found["causes"]],
        "issues": [{**issue, "url": _whole(server, issue["url"])} for issue in found["issues"]],
        "playbooks": [{**playbook, "url": _whole(server, playbook["url"])} for playbook in found["playbooks"]],
    }


def _whole(server: str, path: str) -> str:
    """The address of a page; its path alone where no server is known that has it."""
    return f"{server}{path}" if path.startswith("/") else path
