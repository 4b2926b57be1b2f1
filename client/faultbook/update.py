"""`faultbook update`: a newer data file from a server's dump, in place of the last one whole or not at all."""

import hashlib
import os
import re
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path

from faultbook import data
from faultbook.web import MIB, WebError, checked_address, fetched
from kb.core.knowledge.file import BadDataError

HELP = (
    "Fetch a newer data file from a server's dump, check its sum, and put it into your data folder. "
    "Exit code: 0 renewed or as new already, 3 not renewed: the last one stays."
)
LATEST = "dumps/latest"
SUMS = "SHA256SUMS"
LARGEST, LARGEST_SUMS = 10 * MIB, MIB
DONE, NOT_DONE = 0, 3


class UpdateError(Exception):
    """The data file was not renewed; the message says why."""


def add_arguments(parser: ArgumentParser) -> None:
    """Where it comes from."""
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--from", dest="server", metavar="URL", help="a server's address (default: as the data says)")
    source.add_argument("--file", type=Path, metavar="FILE", help="a data file on this machine, beside its SHA256SUMS")


def run(options: Namespace) -> int:
    """Renew it, and say so."""
    try:
        content = _of_file(options.file) if options.file else _of_server(options.server)
        place = data.renewed()
        if place.exists() and place.read_bytes() == content:
            print(f"{place} is as new already.")
            return DONE
        _put(content, place)
    except (UpdateError, WebError, BadDataError) as error:
        print(error, file=sys.stderr)
        return NOT_DONE
    except OSError as error:
        print(f"{error.filename or 'The data file'} can't be read or written: {error.strerror}.", file=sys.stderr)
        return NOT_DONE
    print(f"{place} is renewed.")
    return DONE


def _of_server(server: str | None) -> bytes:
    """The data file of the latest dump there."""
    address = f"{checked_address(data.knowledge().about.server if server is None else server)}/{LATEST}"
    sums = fetched(f"{address}/{SUMS}", largest=LARGEST_SUMS)
    content = fetched(f"{address}/{data.NAME}", largest=LARGEST)
    return _checked(content, sums, f"{address}/{data.NAME}")


def _of_file(file: Path) -> bytes:
    if file.stat().st_size > LARGEST:
        raise UpdateError(f"{file} has more than {LARGEST // MIB} MB: it is no data file.")
    return _checked(file.read_bytes(), file.with_name(SUMS).read_bytes(), str(file))


def _checked(content: bytes, sums: bytes, name: str) -> bytes:
    """The content, if its sum is among these. Raises `UpdateError`."""
    line = re.compile(rf"([0-9a-f]{{64}}) [ *](?:\./)?{re.escape(data.NAME)}")
    stated = [match[1] for row in sums.decode("utf-8", "replace").splitlines() if (match := line.fullmatch(row))]
    if not stated:
        raise UpdateError(f"{SUMS} beside {name} has no sum of {data.NAME}. Nothing was changed.")
    if hashlib.sha256(content).hexdigest() not in stated:
        raise UpdateError(f"{name} does not have the sum that {SUMS} states: it is damaged or changed. Try again.")
    return content


def _put(content: bytes, place: Path) -> None:
    """Write it beside its place and move it there: a reader has the old one or the new one. Raises `BadDataError`."""
    place.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{data.NAME}.", dir=place.parent)
    unfinished = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        data.opened(unfinished)
        unfinished.chmod(0o644)
        unfinished.replace(place)
    finally:
        unfinished.unlink(missing_ok=True)
