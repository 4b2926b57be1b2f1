"""The log's line about what was refused to somebody for want of a right. What may be done is decided elsewhere."""

import logging
from typing import Any

logger = logging.getLogger(__name__)


def log_refusal(request: Any) -> None:
    """Log who asked for what, by the account's number; `request` is Django's or REST framework's."""
    account = getattr(getattr(request, "user", None), "pk", None)
    logger.warning("Refused %r %r to account %s", request.method, request.path, account)
