"""What we show a host to be let in: tokens as given, or none at all.

Those of a GitHub App are in `ingest.hosts.github.tokens`; how much each may still ask is in `budget.py`.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Token:
    """A secret, and a name for it that may be written down. No secret means asking as anybody."""

    name: str
    secret: str

    @property
    def headers(self) -> dict[str, str]:
        """What to send."""
        return {"Authorization": f"Bearer {self.secret}"} if self.secret else {}


class Tokens(Protocol):
    """Where tokens come from."""

    def all(self) -> Sequence[Token]:
        """Those that may be used now; never empty."""


class GivenTokens:
    """Tokens of one host from the environment. Asking as anybody is counted by host, hence the host's name."""

    def __init__(self, secrets: Sequence[str], *, host: str) -> None:
        tokens: list[Token] = []
        for secret in dict.fromkeys(secrets):
            tokens.append(Token(hashlib.sha256(secret.encode()).hexdigest()[:16], secret))
        self._tokens = tuple(tokens) or (Token(f"anybody-{host}", ""),)

    def all(self) -> Sequence[Token]:
        """Those given, or asking as anybody."""
        return self._tokens
