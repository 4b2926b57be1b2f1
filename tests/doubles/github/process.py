"""A double in a process of its own, so that it computes beside whoever asks it, and how to steer it from here."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[3]
SECONDS = 120


@dataclass(frozen=True)
class Remote:
    """A double that runs elsewhere; its addresses, and the orders of `control`."""

    api_url: str
    graphql_url: str
    repo: str

    @property
    def root(self) -> str:
        """The address of the server without any path."""
        return "{0.scheme}://{0.netloc}".format(urlsplit(self.api_url))

    def order(self, name: str, order: Any = None) -> Any:
        """Give an order and return what it tells."""
        request = urllib.request.Request(  # noqa: S310 our own server
            f"{self.root}/_double/{name}", json.dumps(order or {}).encode(), method="POST"
        )
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310
            return json.load(answer)

    def asked(self) -> list[dict[str, Any]]:
        """The requests since this was last called."""
        found: list[dict[str, Any]] = self.order("requests", {"clear": True})["requests"]
        return found


@contextmanager
def running(**options: object) -> Iterator[Remote]:
    """A double until the end of a block; options as on the command line, True for those without a value."""
    command = [sys.executable, "-m", "tests.doubles.github"]
    for name, value in options.items():
        command += [f"--{name.replace('_', '-')}"] + ([] if value is True else [str(value)])
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout
        try:
            yield Remote(**json.loads(process.stdout.readline()))
        finally:
            process.terminate()
            process.wait(SECONDS)
