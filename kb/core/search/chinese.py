"""Cuts a run of Chinese characters, as people type it into the box, at the words that are known.

The index keeps every pair of neighbouring characters (docs/decisions/0011), so a question may be cut anywhere: pairs
across two words, and words of small talk, then count for nothing.
"""

import re
from functools import cache

from kb.core.search.lexicon import everyday_phrases
from kb.core.search.normalise import CJK

# What a question holds beside its subject.
SMALL_TALK = frozenset({
    "怎么办", "怎么", "如何", "为什么", "什么", "请问", "问一下", "一下", "有没有", "有人", "大家",
    "出现", "遇到", "问题", "解决", "求助", "请教", "谢谢", "是不是", "可以", "能不能", "这个", "那个",
    "时候", "全是", "都是", "一直", "总是", "老是", "已经", "突然", "之后", "以后", "会", "就", "了",
    "的", "呢", "吗", "啊",
})  # fmt: skip


def parts(run: str) -> list[str]:
    """The parts of a run, without small talk; the run itself where it is not Chinese or nothing in it is known."""
    if not CJK.match(run):
        return [run]
    pieces = [piece for piece in _known().split(run) if piece and piece not in SMALL_TALK]
    # A single character that is left over is the rest of a word that was cut.
    return [piece for piece in pieces if len(piece) > 1] or [run]


@cache
def _known() -> re.Pattern[str]:
    """The longest known words first."""
    known = {phrase for phrase in everyday_phrases() if CJK.match(phrase) and len(phrase) > 1}
    longest_first = sorted({*known, *SMALL_TALK}, key=lambda phrase: (-len(phrase), phrase))
    return re.compile(f"({'|'.join(map(re.escape, longest_first))})")
