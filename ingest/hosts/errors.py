"""What can go wrong between us and a host, each with words for people and what they can do about it."""


class HostError(Exception):
    """The host did not give what was asked for. `str()` says what happened; `advice` what to do about it."""

    advice = "Nothing was lost. The next run continues where this one stopped."


class LimitedError(HostError):
    """The host wants us to wait longer than we are willing to; `resume_at` is a time in seconds since 1970."""

    advice = "Nothing to do: the next run starts when the host allows it. Another token makes it faster."

    def __init__(self, message: str, *, resume_at: float) -> None:
        super().__init__(message)
        self.resume_at = resume_at


class UnwellError(HostError):
    """The host answered wrongly or not at all, several times in a row; it will probably do later."""


class TooMuchError(UnwellError):
    """The host gave up on a question as large as this one; a smaller one may do."""


class RefusedError(HostError):
    """The host does not let us: a bad token, or one that may not read this."""

    advice = "Check the tokens: they may have expired, or may not have access to this repository."


class MissingError(HostError):
    """The host knows no such repository, or hides it from us."""

    advice = "Check the repository's name. A private repository needs a token with read access."


class NoIssuesError(HostError):
    """The repository keeps no issues on this host."""

    advice = "Turn the mirror off, or mirror the repository where its issues live today."
