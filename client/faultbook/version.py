"""`faultbook version`: which version this is, and of which day its data is."""

import json
import sys
from argparse import ArgumentParser, Namespace

from faultbook import __version__

HELP = "Say which version this is, where its data is, and how old. Exit code 3: the data cannot be read."


def add_arguments(parser: ArgumentParser) -> None:
    """As text or as JSON."""
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def run(options: Namespace) -> int:
    """Print it."""
    from faultbook import data
    from kb.core.knowledge.file import BadDataError

    try:
        path, known = data.current()
    except BadDataError as error:
        print(error, file=sys.stderr)
        return 3
    about, days = known.about, data.age()
    if options.json:
        facts = {"as_of": about.as_of, "records": about.records, "codebook": about.codebook, "server": about.server}
        print(json.dumps({"version": __version__, "data": {"path": str(path), **facts}}, indent=2))
        return 0
    print(f"faultbook {__version__}")
    print(f"{about.records:,} described faults" + (f", as of {about.as_of} ({days} days ago)" if about.as_of else ""))
    print(path)
    return 0
