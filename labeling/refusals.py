"""The errors by which services refuse a request. The message is for the person who made it."""


class RefusedError(Exception):
    """A request that is not allowed, or not now; the message says why and what to do instead."""


class GoneError(RefusedError):
    """The object of the request does not exist, or not any more."""
