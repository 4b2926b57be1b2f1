"""The errors of the labeling API, which `kb.api.problems` renders."""

from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import Any

from rest_framework.exceptions import APIException, NotAuthenticated, NotFound, ValidationError

from labeling.api.scopes import Scope
from labeling.refusals import GoneError, RefusedError
from labeling.services.voting import IncompleteError


class NotLoggedInError(NotAuthenticated):
    """Nobody is logged in."""

    default_detail = "Log in first: this address is for members of a project."


class OutOfScopeError(APIException):
    """The token does not allow this."""

    status_code = HTTPStatus.FORBIDDEN

    def __init__(self, needed: Scope | None) -> None:
        what = f"needs a token with the scope {needed.value}" if needed else "is not for tokens: log in"
        super().__init__(f"This {what}.")


class TooLargeError(APIException):
    """The request's body is larger than anything that is meant for this address."""

    status_code = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    default_detail = "The request is too large."


class ConflictError(APIException):
    """A service refused: the person may not do this, or not now."""

    status_code = HTTPStatus.CONFLICT


class FaultsError(APIException):
    """The body is incomplete or wrong; `errors` names each place."""

    def __init__(self, status: HTTPStatus, detail: str, faults: Iterable[tuple[str, str]]) -> None:
        super().__init__(detail)
        self.status_code = status
        self.errors = [{"place": place, "detail": text} for place, text in faults]


def as_problem(error: Exception) -> Exception:
    """The error as one that `kb.api.problems` renders; others stay as they are."""
    if isinstance(error, IncompleteError):
        return FaultsError(HTTPStatus.UNPROCESSABLE_ENTITY, "The ballot is incomplete.", error.faults.items())
    if isinstance(error, GoneError):
        return NotFound(str(error))
    if isinstance(error, RefusedError):
        return ConflictError(str(error))
    if isinstance(error, ValidationError):
        return FaultsError(HTTPStatus.BAD_REQUEST, "The request cannot be read.", _places(error.detail))
    return error


def _places(detail: Any, above: str = "") -> Iterator[tuple[str, str]]:
    """Each place in the body with a fault, such as `evidence.0.start`, and the fault."""
    if isinstance(detail, Mapping):
        for key, inside in detail.items():
            yield from _places(inside, f"{above}.{key}".strip("."))
    elif isinstance(detail, list):
        for number, inside in enumerate(detail):
            yield from _places(inside, above if isinstance(inside, str) else f"{above}.{number}".strip("."))
    else:
        yield above, str(detail)
