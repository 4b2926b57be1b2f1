"""The words that an issue's facts and our judgements of it are chosen from."""

from django.db import models


class Kind(models.TextChoices):
    """What a host's number stands for: a pull request is never counted as an issue."""

    ISSUE = "issue", "Issue"
    PULL_REQUEST = "pull_request", "Pull request"
    UNKNOWN = "unknown", "Not yet known"


class State(models.TextChoices):
    """Whether the issue is open on its host."""

    OPEN = "open", "Open"
    CLOSED = "closed", "Closed"
    UNKNOWN = "unknown", "Unknown"


class Certainty(models.TextChoices):
    """How sure a record's cause and fix are, as a whole."""

    CONFIRMED = "confirmed", "Confirmed"
    LIKELY = "likely", "Likely"
    UNSETTLED = "unsettled", "Unsettled"


class Severity(models.TextChoices):
    """What the fault does to whoever has it."""

    BLOCKS = "blocks", "Blocks the work"
    WRONG_RESULT = "wrong-result", "Wrong results"
    DATA_LOSS = "data-loss", "Loses data"
    DEGRADES = "degrades", "Slower or worse"
    COSMETIC = "cosmetic", "Cosmetic"
