"""`faultbook diagnose`: a failed run's logs, diagnosed on this machine, or by a server that the user names."""

import sys
from argparse import ArgumentParser, Namespace
from contextlib import ExitStack
from typing import cast

from faultbook.commands import add_server
from kb.core.diagnosis import command
from kb.core.diagnosis.schema import DiagnosisData

HELP = command.HELP


def add_arguments(parser: ArgumentParser) -> None:
    """Add those of every diagnosis, and who is asked."""
    command.add_arguments(parser)
    add_server(parser, "the logs' text, with stand-ins for secrets, people, machines and folders")


def run(options: Namespace) -> int:
    """Diagnose, print, and return the exit code."""
    if options.server:
        return _by_server(options)
    from faultbook.data import add_known

    return command.answer(options, add_known, sys.stdout, sys.stderr)


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
