"""`faultbook diagnose`: a failed run's logs, diagnosed on this machine, or by a server that the user names."""

import sys
from argparse import ArgumentParser, Namespace
from contextlib import ExitStack
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
    add_server(parser, "the logs' text, with stand-ins for secrets, people, machines and folders")


def run(options: Namespace) -> int:
    """Diagnose, print, and return the exit code."""
    if options.server:
        return _by_server(options)
    return command.answer(options, _add_known, sys.stdout, sys.stderr)


def _by_server(options: Namespace) -> int:
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
    return command.print_whole(cast("DiagnosisData", data), options, sys.stdout)


def _add_known(data: DiagnosisData, setup: Setup) -> DiagnosisData:
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
