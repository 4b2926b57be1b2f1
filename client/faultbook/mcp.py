"""`faultbook mcp`: the tools for agents over standard input and output, from the data here or from a named server."""

import sys
from argparse import ArgumentParser, Namespace

from faultbook.commands import add_server

HELP = (
    "Serve agents over MCP on standard input and output: search, one fault, diagnosis, check, causes of a symptom. "
    "Logs stay on this machine unless --server is given. Exit code: 0 when the agent hangs up, 3 bad input."
)
BAD_INPUT = 3
NOT_INSTALLED = "Install what speaks MCP once: pip install 'faultbook[mcp]'."


def add_arguments(parser: ArgumentParser) -> None:
    """Who is asked."""
    add_server(parser, "what the agent asks; logs with stand-ins for secrets, people, machines and folders")


def run(options: Namespace) -> int:
    """Serve until the agent hangs up."""
    try:
        import anyio
        import mcp.server.stdio  # noqa: F401 whether it is there
    except ModuleNotFoundError:
        print(NOT_INSTALLED, file=sys.stderr)
        return BAD_INPUT
    from faultbook.data import knowledge, warn_of_age
    from faultbook.serving_agents import serve_here, serve_relayed
    from faultbook.web import WebError, checked_address
    from kb.core.knowledge.file import BadDataError

    try:
        if options.server:
            anyio.run(serve_relayed, f"{checked_address(options.server)}/mcp")
        else:
            known = knowledge()
            warn_of_age()
            anyio.run(serve_here, known)
    except (BadDataError, WebError) as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    return 0
