"""The errors by which services refuse a request. The message is for the person who made it."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import ObjectDoesNotExist
from django.http import Http404


class RefusedError(Exception):
    """A request that is not allowed, or not now; the message says why and what to do instead."""


class GoneError(RefusedError):
    """The object of the request does not exist, or not any more."""


@contextmanager
def missing_as_404() -> Iterator[None]:
    """Raises Http404 for a row that does not exist, or not for this reader."""
    try:
        yield
    except ObjectDoesNotExist as error:
        raise Http404 from error
