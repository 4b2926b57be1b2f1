"""What a service says when it will not do something. The message is for the person who asked."""


class RefusedError(Exception):
    """Something that may not be done, or not now; the message says why and what to do instead."""


class GoneError(RefusedError):
    """There is nothing, or nothing any more, that it could be done to."""
