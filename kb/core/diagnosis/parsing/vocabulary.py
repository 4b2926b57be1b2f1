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

# Words of trouble in other languages than English, which write no blanks around them.
GRAVE_WORDS = (
    "段错误|核心已?转储|崩溃|异常(?:退出|终止|中止)|被(?:杀死|强制终止|终止)|(?:显存|内存)(?:不足|溢出|耗尽)|死锁|宕机|掉卡|"
    "クラッシュ|メモリ不足|강제 종료|메모리 부족"
)
FAILED_WORDS = (
    "失败|超时|中断|找不到|未找到|不存在|无法|拒绝|断开|丢失|不匹配|不一致|无效|非法|不支持|出错|报错|卡死|"
    "失敗|タイムアウト|見つかりません|できません|실패|시간 초과|찾을 수 없"
)
HARMLESS_WORDS = (
    "(?:没有|无)(?:错误|失败|异常|警告)|(?:错误|失败|异常|警告)(?:数|次数|个数|数量)?[:：=] ?0(?:[^0-9.]|$)|"
    "(?:^|[^0-9])0 ?(?:个|次|条)?(?:错误|失败|异常|警告)|忽略|重试中|正在重试|已恢复|已跳过|エラーなし"
)
GOES_ON_WORDS = "重试|重新连接|重连|已恢复|恢复成功|跳过|稍后再试|回退|再試行|재시도"
IN_VAIN_WORDS = "重试(?:次数)?已?(?:用尽|耗尽|失败|无效|达到上限)|放弃|仍(?:然)?失败|最大重试"


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
