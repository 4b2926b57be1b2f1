"""The kinds of secrets, where one stands in a text, and what finds it."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """What was recognised, in a reader's words. Of two that overlap, the earlier one here names both."""

    PRIVATE_KEY = "private key"
    GITHUB = "GitHub token"
    HUGGING_FACE = "Hugging Face token"
    ANTHROPIC = "Anthropic key"
    OPENAI = "OpenAI key"
    AWS = "AWS key"
    GOOGLE = "Google key"
    AZURE = "Azure key"
    SLACK = "Slack token"
    GITLAB = "GitLab token"
    PYPI = "PyPI token"
    NPM = "npm token"
    DOCKER = "Docker token"
    STRIPE = "Stripe key"
    WANDB = "wandb key"
    SERVICE = "service key"
    JWT = "web token"
    URL_PASSWORD = "URL password"  # noqa: S105 - a name, no password
    PASSWORD = "password"  # noqa: S105 - a name, no password
    AUTHORIZATION = "authorization"
    SECRET = "secret"  # noqa: S105 - a name, no password
    EMAIL = "e-mail address"


class Span(NamedTuple):
    """Characters `start` to `end`, the last one excluded, and what they are."""

    start: int
    end: int
    kind: Kind


class Finder(NamedTuple):
    """Searches a text only where one of its `signs` stands.

    `find` takes the text and the places of the signs in their order, and time in proportion to the text's length,
    whatever the text is.
    """

    signs: tuple[str, ...]
    find: Callable[[str, Sequence[int]], list[Span]]
