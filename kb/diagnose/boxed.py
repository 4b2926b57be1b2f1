"""The diagnosis of what somebody pasted into the search box: read at once, or not at all. Nothing is stored."""

from kb.core.diagnosis.reading.intake import MIB, UnreadableInputError
from kb.core.diagnosis.schema import DiagnosisData
from kb.diagnose.immediate import Waiting, answer_at_once
from kb.diagnose.shares import ShareTakenError, place_of
from kb.diagnose.uploads import text_upload

# More than the box holds; who searches does not wait as long as who sends a log.
AT_ONCE = Waiting(sent=MIB, text=MIB, seconds=5.0)
PASTED = "pasted.log"
TOO_MANY = "Your text was searched, not diagnosed: you send logs faster than they can be read. Try again in a minute."
TOO_LONG = "Your text was searched but not diagnosed: that took too long. Give it to the diagnosis as a file."


class NotDiagnosedError(Exception):
    """The text was not diagnosed; the message says why, for who sent it."""


def diagnosed_text(text: str, *, visitor: str) -> DiagnosisData | None:
    """The diagnosis of the text; None where it holds nothing to read. Raises `NotDiagnosedError`."""
    try:
        with place_of(visitor):
            data = answer_at_once(files=[text_upload(text, PASTED)], waiting=AT_ONCE)
    except UnreadableInputError:
        return None
    except ShareTakenError as error:
        raise NotDiagnosedError(TOO_MANY) from error
    if data is None:
        raise NotDiagnosedError(TOO_LONG)
    return data
