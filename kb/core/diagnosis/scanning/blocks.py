"""Puts the lines of one emitter together that belong together: a traceback and its summary, an error and its stack."""

from kb.core.diagnosis.parsing.blocks import Part
from kb.core.diagnosis.scanning.records import Block, Emitter

LONGEST = 400
CONTINUES = frozenset({Part.FRAME, Part.INDENTED})
SHOWN = 300


def take(emitter: Emitter, part: Part, line: int, text: str, *, is_notable: bool) -> Block | None:
    """The block that this line is part of, opened or gone on with; none when it stands alone."""
    block = emitter.block
    if block is not None and not _goes_on(block, part):
        block = emitter.block = None
    if block is None:
        if part is not Part.OPENING and not is_notable:
            return None
        block = emitter.block = Block(is_traceback=part is Part.OPENING)
        block.summary = line if part is not Part.OPENING else 0
    elif part is Part.OPENING:
        block.is_chained, block.summary, block.is_traceback = False, 0, True
    elif part is Part.CHAIN:
        block.is_chained = True
    elif not block.summary and part is Part.NONE:
        block.summary = line
    block.lines.append((line, text[:SHOWN]))
    return block


def _goes_on(block: Block, part: Part) -> bool:
    if len(block.lines) >= LONGEST:
        return False
    if part in CONTINUES or part is Part.CHAIN:
        return True
    if part is Part.OPENING:
        return block.is_chained
    return not block.summary
