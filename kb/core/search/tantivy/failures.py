"""Turns what tantivy raises, its panics included, into the one error that callers of an engine know."""

from collections.abc import Iterator
from contextlib import contextmanager

from kb.core.search.backend import EngineUnavailableError


@contextmanager
def failures_told(what: str) -> Iterator[None]:
    """Raise EngineUnavailableError with `what` and the reason for whatever goes wrong inside tantivy."""
    try:
        yield
    except (ValueError, OSError, RuntimeError) as error:
        raise EngineUnavailableError(f"{what}: {_reason(error)}") from error
    except BaseException as error:
        # A panic over a damaged file; its class derives from BaseException and cannot be imported.
        if type(error).__name__ != "PanicException":
            raise
        raise EngineUnavailableError(f"{what}: {_reason(error)}") from error


def _reason(error: BaseException) -> str:
    return str(error).split("\n")[0][:300]
