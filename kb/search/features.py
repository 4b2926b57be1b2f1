"""What ranking reads of a document beside its engine's score, packed into few bytes."""

from collections.abc import Sequence


def pack(
    title_words: Sequence[str],  # noqa: ARG001
    ours_words: Sequence[str],  # noqa: ARG001
    text_words: Sequence[str],  # noqa: ARG001
    log_words: Sequence[str],  # noqa: ARG001
) -> bytes:
    """The features of a document with these words in its text fields; none yet."""
    return b""
