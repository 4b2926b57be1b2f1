"""Arguments that commands share, apart from what a diagnosis itself loads."""

import os
from argparse import ArgumentParser

PAST_RUNS = "DIAGNOSE_PAST_RUNS"


def add_comparisons(parser: ArgumentParser) -> None:
    """The arguments for other runs of the same kind."""
    parser.add_argument(
        "--healthy", nargs="+", default=[], metavar="FILE", help="logs of runs of this kind that went well"
    )
    parser.add_argument(
        "--past",
        metavar="FOLDER",
        default=os.environ.get(PAST_RUNS) or None,
        help=f"earlier jobs, each a file or folder in it, to compare with (default: {PAST_RUNS} of the environment)",
    )
