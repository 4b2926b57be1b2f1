"""A request as the double understands it, its answer, how the answer is to be sent, and the log's line about it."""

import functools
import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import orjson

ENTERPRISE = "/api/v3"
GRAPHQL_PATHS = ("/graphql", "/api/graphql")


@dataclass
class Request:
    """What was asked; names of headers are in lower case.

    `ids`, `nodes` and `fields` (type, name) are what a GraphQL query asks for, once it is read.
    """

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes = b""
    host: str = "api.github.com"
    arrived: float = field(default_factory=time.monotonic)
    ids: int = 0
    nodes: int = 0
    fields: frozenset[tuple[str, str]] = frozenset()

    @functools.cached_property
    def is_graphql(self) -> bool:
        """Whether it goes to the GraphQL interface."""
        return urlsplit(self.target).path in GRAPHQL_PATHS

    @property
    def resource(self) -> str:
        """Which of the two budgets it draws on."""
        return "graphql" if self.is_graphql else "core"

    @functools.cached_property
    def base(self) -> str:
        """The root of the REST interface, as the client addressed it."""
        return f"http://{self.host}{ENTERPRISE if self.target.startswith(f'{ENTERPRISE}/') else ''}"

    @functools.cached_property
    def path(self) -> str:
        """The path below the root."""
        path = urlsplit(self.target).path
        return path.removeprefix(ENTERPRISE) if path.startswith(f"{ENTERPRISE}/") else path

    @functools.cached_property
    def query(self) -> dict[str, str]:
        """The parameters in the order given; of repeated ones the last."""
        return dict(parse_qsl(urlsplit(self.target).query, keep_blank_values=True))

    @functools.cached_property
    def json(self) -> Any:
        """The body's value, None when it is no JSON."""
        try:
            return orjson.loads(self.body)
        except orjson.JSONDecodeError:
            return None

    @functools.cached_property
    def token(self) -> str:
        """What was sent as credentials; blank when nothing was."""
        return self.headers.get("authorization", "").partition(" ")[2].strip()

    @functools.cached_property
    def digest(self) -> str:
        """The credentials made unreadable, for the log and as the budgets' key; blank for none."""
        return hashlib.sha256(self.token.encode()).hexdigest()[:12] if self.token else ""


@dataclass
class Delivery:
    """How an answer is sent; the defaults are how it should be."""

    close_first: bool = False
    cut_at: float | None = None
    truncate_at: float | None = None
    drip_seconds: float = 0.0
    stall_seconds: float = 0.0
    stall_before: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether nothing is wrong."""
        return self == Delivery()


@dataclass
class Answer:
    """What is answered. `value` is turned into JSON unless `body` is given."""

    status: int = 200
    value: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    content_type: str = "application/json; charset=utf-8"
    cost: int = 1
    bare: bool = False
    has_etag: bool = False
    delivery: Delivery = field(default_factory=Delivery)


@dataclass(frozen=True, slots=True)
class Logged:
    """One request in the log.

    `was_limited`: it was sent while its token was limited, which no client may do. `met_limit`: it is the one that met
    the limit. `told_for`: how many seconds before it arrived the limit had been told; none or less for one that was
    on its way then. `told_empty`: an earlier answer had said that nothing remains. `moment` is in the world's seconds,
    `fault` the kind of fault that it met, `cost` what it drew from its budget, `ids` how many nodes it named.
    """

    method: str
    path: str
    status: int
    moment: float
    token: str
    was_limited: bool = False
    met_limit: bool = False
    told_for: float = 0.0
    told_empty: bool = False
    fault: str = ""
    cost: int = 0
    ids: int = 0


def refusal(status: int, message: str, path: str = "", **more: Any) -> Answer:
    """GitHub's form of an error."""
    address = f"https://docs.github.com/rest{path}"
    return Answer(status, {"message": message, **more, "documentation_url": address, "status": str(status)})
