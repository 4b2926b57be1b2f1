"""`curl` as pages show it, asked of Django's test client: enough of the shell and of curl's options for that."""

import gzip
import re
import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

SITE = "http://127.0.0.1:8000"
ASSIGNED = re.compile(r"^(\w+)=(?!\$\()(.+)$")
OPTIONS = ArgumentParser(exit_on_error=False)
OPTIONS.add_argument("url")
OPTIONS.add_argument("-G", dest="in_address", action="store_true")
OPTIONS.add_argument("-X", dest="method", default="")
OPTIONS.add_argument("-d", dest="data", default="")
OPTIONS.add_argument("--data-binary", dest="file", default="")
OPTIONS.add_argument("-F", dest="form", action="append", default=[])
OPTIONS.add_argument("-H", dest="headers", action="append", default=[])
OPTIONS.add_argument("--data-urlencode", dest="pairs", action="append", default=[])
OPTIONS.add_argument("-b", dest="cookies", action="append", default=[])
for name in ("-i", "-s"):
    OPTIONS.add_argument(name, action="store_true")
CURL = re.compile(r"(?:(?<=\$\()|(?<=\| )|^)curl\b.*$")


def commands(code: str, known: Mapping[str, str]) -> Iterator[str]:
    """The calls of curl in this code, with variables filled in: those set in it, and those that are known."""
    values = dict(known)
    for line in re.sub(r"\\\n\s*", " ", code).splitlines():
        if assigned := ASSIGNED.match(line):
            name, value = assigned.groups()
            values[name] = _filled(shlex.split(value)[0], values)
        elif called := CURL.search(line):
            yield _filled(_without_rest(called[0]), values)


def _filled(text: str, values: Mapping[str, str]) -> str:
    return re.sub(r"\$\{?(\w+)\}?", lambda found: values.get(found[1], found[0]), text)


def _without_rest(text: str) -> str:
    """The call alone, without comment, pipe and closing bracket behind it."""
    quote = ""
    for place, mark in enumerate(text):
        if quote or mark in "'\"":
            quote = {"": mark, mark: ""}.get(quote, quote)
        elif mark in "#|);":
            return text[:place].strip()
    return text.strip()


def ask(client: Client, command: str, folder: Path) -> Any:
    """What the site answers to this call of curl. `folder`: where its files are; standard input is a compressed log."""
    given = OPTIONS.parse_args(shlex.split(command)[1:])
    url = urlsplit(given.url)
    assert f"{url.scheme}://{url.netloc}" == SITE, given.url
    asked = (
        (url.query, urlencode([tuple(pair.split("=", 1)) for pair in given.pairs]))
        if given.in_address
        else (url.query,)
    )
    path = f"{url.path}?{'&'.join(filter(None, asked))}"
    headers = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in given.headers)}
    if given.form:
        return client.post(path, _form(given.form, folder), headers=headers)
    body = _body(given, folder)
    content_type = headers.pop("content-type", "application/x-www-form-urlencoded")
    return client.generic(given.method or ("POST" if body else "GET"), path, body, content_type, headers=headers)


def _form(fields: list[str], folder: Path) -> dict[str, list[SimpleUploadedFile]]:
    form: dict[str, list[SimpleUploadedFile]] = {}
    for name, file in (field.split("=@") for field in fields):
        form.setdefault(name, []).append(SimpleUploadedFile(file, (folder / file).read_bytes()))
    return form


def _body(given: Namespace, folder: Path) -> bytes:
    if given.file == "@-":
        return gzip.compress((folder / "job.log").read_bytes())
    return (folder / given.file[1:]).read_bytes() if given.file else str(given.data).encode()
