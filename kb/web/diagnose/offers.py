"""What a result page needs to offer sharing and feedback: the data, signed, and what in it can be right or wrong."""

from typing import Any

from kb.diagnose.feedback import things
from kb.diagnose.signed_data import sealed


def offered(data: dict[str, Any]) -> dict[str, Any]:
    """Context for `kb/diagnose/_share.html` and `kb/diagnose/_feedback.html`. Nothing is stored by it."""
    return {"sealed": sealed(data), "things": things(data)}
