"""How an uncaught exception reaches the log."""

from tests.kb.core.diagnosis.generators.entries import At, Lines
from tests.kb.core.diagnosis.generators.styles import loggers


def tagged(at: At, lines: Lines) -> Lines:
    """torch's hook names the rank once the process group exists."""
    return tuple((f"[rank{at.voice.rank}]: {text}", part) for text, part in lines)


def untagged(at: At, lines: Lines) -> Lines:
    return lines


def headed(at: At, lines: Lines) -> Lines:
    """vLLM's workers log every line of it."""
    return tuple((loggers.vllm(at, text), part) for text, part in lines)


def folded(at: At, lines: Lines) -> Lines:
    """JSON lines: the whole of it in one object, its last line as the message."""
    last = next(text for text, part in reversed(lines) if not text.startswith(" "))
    whole = "\n".join(text for text, _ in lines)
    return ((f"uncaught exception: {last}\n{whole}", max(part for _, part in lines)),)
