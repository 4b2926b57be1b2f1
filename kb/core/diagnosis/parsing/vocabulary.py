"""How logs write times and levels, as parts of patterns, and what a level's word means."""

from enum import IntEnum

ISO = r"\d{4}[-/]\d\d[-/]\d\d[T _-]\d\d:\d\d:\d\d(?:[.,]\d{1,9}(?:\.\d{3})?)?(?:Z|[+-]\d\d:?\d\d)?"
# Seconds since 1970, or thousandths, millionths, billionths of them.
EPOCH = r"1\d{9}(?:\.\d{1,9}|\d{3}|\d{6}|\d{9})?"
LEVELS = (
    "DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|CRITICAL|FATAL|SEVERE|TRACE|"
    "debug|info|notice|warn(?:ing)?|error|critical|fatal|trace|"
    "调试|信息|提示|警告|错误|严重|致命|情報|エラー|정보|경고|오류"
)


class Level(IntEnum):
    """How gravely a line was logged; 0 where it does not say."""

    UNKNOWN = 0
    DEBUG = 1
    INFO = 2
    WARNING = 3
    ERROR = 4
    FATAL = 5


_BY_LETTER = {
    "d": Level.DEBUG, "t": Level.DEBUG, "v": Level.DEBUG, "i": Level.INFO, "n": Level.INFO, "w": Level.WARNING,
    "e": Level.ERROR, "f": Level.FATAL, "c": Level.FATAL, "s": Level.FATAL,
    "调": Level.DEBUG, "信": Level.INFO, "提": Level.INFO, "情": Level.INFO, "정": Level.INFO, "警": Level.WARNING,
    "경": Level.WARNING, "错": Level.ERROR, "エ": Level.ERROR, "오": Level.ERROR, "严": Level.FATAL, "致": Level.FATAL,
}  # fmt: skip
_ANNOTATIONS = frozenset({"section", "command", "group", "endgroup"})


def level_of(word: str) -> Level:
    """What a logger's word for it means: `W`, `warning` and `WARN` alike."""
    return Level.UNKNOWN if not word or word in _ANNOTATIONS else _BY_LETTER.get(word[0].lower(), Level.UNKNOWN)
