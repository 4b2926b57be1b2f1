"""The kinds of errors that have a page of their own: what the `type` of a problem (RFC 9457) leads to.

An error whose status says all has none: its type is `about:blank`.
"""

from dataclasses import dataclass
from http import HTTPStatus

BLANK = "about:blank"


@dataclass(frozen=True)
class ProblemType:
    """A kind of error: its title, what it means, and what the sender should do."""

    slug: str
    title: str
    status: HTTPStatus
    means: str
    do: str

    @property
    def path(self) -> str:
        """The address of its page on any site: a reference relative to what was asked."""
        return f"/problems/{self.slug}"


INVALID_PARAMETERS = ProblemType(
    "invalid-parameters",
    "Some parameters are invalid",
    HTTPStatus.BAD_REQUEST,
    "A query parameter is unknown, was given twice though it takes one value, or has a value that is not known or not "
    "understood. Nothing is guessed, so that a spelling mistake never looks like an answer.",
    "Read `errors`: it names each parameter and says what would be right. The OpenAPI description lists them all.",
)
TOO_LARGE = ProblemType(
    "too-large",
    "More was sent than is taken",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "The body, or a part of it, is larger than this address takes.",
    "Send less, as `detail` says: of a log the last part, or a compressed one; of a report the beginning.",
)
TOO_MANY_REQUESTS = ProblemType(
    "too-many-requests",
    "Too many requests",
    HTTPStatus.TOO_MANY_REQUESTS,
    "More was asked from your address than the site allows in a window of time.",
    "Wait as many seconds as `Retry-After` says. `RateLimit` tells how much is left, `RateLimit-Policy` how much may "
    "be asked in all.",
)
UNAVAILABLE = ProblemType(
    "database-away",
    "The database does not answer",
    HTTPStatus.SERVICE_UNAVAILABLE,
    "The site is up, but its database is not. Searching may still work from the search index alone.",
    "Try again after as many seconds as `Retry-After` says. Nothing that you sent was kept.",
)
PROBLEM_TYPES = {kind.slug: kind for kind in (INVALID_PARAMETERS, TOO_LARGE, TOO_MANY_REQUESTS, UNAVAILABLE)}
_BY_STATUS = {kind.status: kind for kind in (TOO_LARGE, TOO_MANY_REQUESTS, UNAVAILABLE)}


def type_of(status: HTTPStatus, *, has_errors: bool = False) -> str:
    """The `type` of an error with this status; `has_errors`: it names parameters."""
    kind = INVALID_PARAMETERS if has_errors and status == HTTPStatus.BAD_REQUEST else _BY_STATUS.get(status)
    return kind.path if kind else BLANK
