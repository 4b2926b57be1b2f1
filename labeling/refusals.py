"""What a service says when it will not do something. The message is for the person who asked."""


class RefusedError(Exception):
    """Something that may not be done, or not now; the message says why and what to do instead."""
