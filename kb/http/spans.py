"""Parts of the work on a request that a trace shows by name. They cost nothing until `config` records traces."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
Span = Callable[[str], AbstractContextManager[object]]

_NONE = nullcontext()
_span: Span = lambda _name: _NONE  # noqa: E731


def record_with(span: Span) -> None:
    """From here on spans are recorded in this process."""
    global _span
    _span = span


def span(name: str) -> AbstractContextManager[object]:
    """Until the end of the block."""
    return _span(name)


def spanned(name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Each call of the function is a span."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def inner(*args: P.args, **kwargs: P.kwargs) -> R:
            with _span(name):
                return function(*args, **kwargs)

        return inner

    return decorate
