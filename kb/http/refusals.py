"""The log's line about what was refused to somebody for want of a right. What may be done is decided elsewhere."""

import logging
from typing import Any

logger = logging.getLogger(__name__)


def log_refusal(request: Any) -> None:
    """Log who asked for what: the account's number, and the name of the address, since a path may hold a secret.

    `request` is Django's or REST framework's.
    """
    account = getattr(getattr(request, "user", None), "pk", None)
    name = request.resolver_match.view_name if request.resolver_match else "nothing"
    logger.warning("Refused %s of %s to account %s", request.method, name, account)
