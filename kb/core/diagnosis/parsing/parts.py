"""The parts that prefixes are made of: what each launcher, scheduler, collector and logger puts before a line.

A table of patterns. How a prefix is put together of them is told in `prefixes`.
"""

import re

from kb.core.diagnosis.parsing.vocabulary import EPOCH, ISO, LEVELS

# With a zone, as collectors write it and loggers seldom do.
ZONED = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)"
DATED = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,9})?"
SYSLOG = r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,6})?"
CTIME = r"[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}"
HOST = r"[A-Za-z][A-Za-z0-9._-]{0,62}\d[A-Za-z0-9._-]{0,62}"
NAME = r"[A-Za-z0-9][\w.-]{0,120}"
FILE_LINE = r"[\w./<>-]+\.(?:py|cc?|cpp|cu|h|hpp|go|rs|java):\d+"
UNIT = r"(?P<unit>[\w./@()-]{1,80}?)(?:\[(?P<pid>\d+)\])?: "
# A host and the program that writes there, which only its number or the kernel's name tells from two words.
SURE_UNIT = r"(?P<unit>kernel|[\w./@()-]{1,80}(?=\[\d))(?:\[(?P<pid>\d+)\])?: "
STRUCTURED = r"(?:-|(?:\[[^\]\"]*(?:\"(?:[^\"\\]|\\.)*\"[^\]\"]*)*\])+)"

RAY_ACTOR = (
    # Where a log was copied, of a colour only its letters are left.
    r"(?:\[\d{1,3}m)?\((?=[^)]{0,120}\b(?:pid|ip)=|raylet)"
    r"(?:(?P<actor>[A-Za-z_][\w.:-]{0,80}(?: [TPDE]P\d+){0,4})(?=[ ,)\[]))?"
)
RAY_PROCESS = r"(?:,? ?pid=(?P<pid>\d+))?(?:, ip=(?P<ip>[\da-fA-F.:]+))?\)(?:\[0m)? ?"
# Each stands at the beginning of what is left of the line. More special ones come first.
PARTS: dict[str, str] = {
    "priority": rf"<\d{{1,3}}>(?=1 \d{{4}}-|{SYSLOG} |\[ *\d+\.|{ISO} )",
    "rfc5424": (
        rf"1 (?P<time>{ISO}) (?:-|(?P<node>{NAME})) (?P<unit>\S{{1,80}}) (?:(?P<pid>\d+)|\S{{1,128}}) \S{{1,32}} "
        rf"{STRUCTURED}(?: \ufeff?|$)"
    ),
    "cri": rf"(?P<time>{ISO}) (?:stdout|stderr) [FP](?:$| )",
    "fluent_bit": rf"\[\d+\] [\w.*/-]{{1,200}}: \[\[?(?P<time>{EPOCH})(?:, \{{\}})?\]?, (?=\{{)",
    "fluentd": rf"(?P<time>{ISO}(?: [+-]\d{{4}})?)[ \t][\w*/-]+\.[\w.*/-]{{1,200}}:?[ \t](?=\{{)",
    "mpirun": r"\[(?:[\w.@-]{1,80}@)?\d+,(?:mpirank:)?(?P<rank>\d+)(?:,[\w.-]{1,80})?\]<(?:stdout|stderr|stddiag)>: ?",
    "torchrun": r"\[rank(?:: ?| )?(?P<rank>\d+)\]:? ?",
    "elastic": r"\[(?:default|trainer|worker)(?P<local>\d*)\]: ?",
    "ray_rank": rf"{RAY_ACTOR}(?:,? ?|\[)rank=(?P<rank>\d+)\]?{RAY_PROCESS}",
    "ray": rf"{RAY_ACTOR}{RAY_PROCESS}",
    "torchx": r"[A-Za-z][\w.-]{0,60}/\d{1,5} (?=\[(?:default|rank)\d)",
    "pod": r"\[pod/(?P<node>[\w.-]{1,120})(?:/(?P<container>[\w.-]{1,63}))?\] ?",
    "kail": r"[a-z\d-]{1,63}/(?P<node>[a-z\d][a-z\d.-]{0,120})\[(?P<container>[a-z\d.-]{1,63})\]: ",
    "compose": r"(?:[\w.-]{1,120}@)?(?P<host>[A-Za-z][\w.-]{0,80}) +\| ",
    # An event is either normal or a warning. Warning is the loudest level there, so it does not make a line quiet.
    "events": (
        r"(?:\d+[smhd]){1,3}(?: \(x\d+ over [\dsmhd]+\))? +(?:(?P<level>Normal)|Warning) +"
        r"(?=[A-Z]\w+ +(?:pod/(?P<node>[\w.-]{1,120})|[a-z]\w*/))"
    ),
    "described": (
        r" *(?:(?P<level>Normal)|Warning) +(?=[A-Z]\w+ +(?:(?:\d+[smhd]){1,3}(?: \(x\d+ over [\dsmhd]+\))?|<\w+>) +"
        r"[a-z][\w-]*(?:, (?P<node>[\w.-]{1,120}))? )"
    ),
    "absl": r"(?P<level>[IWEF])0000 00:00:(?P<time>1\d{9}\.\d+) +(?P<pid>\d+) (?P<place>[\w./-]+:\d+)\] ?",
    "glog": r"\[?(?P<level>[IWEF])(?P<time>\d{3,4} \d\d:\d\d:\d\d\.\d+)(?: +(?P<pid>\d+))? (?P<place>[\w./-]+:\d+)\] ?",
    "glog_bare": r"\[(?P<level>[IWEF]) (?P<place>[\w./-]+:\d+)\] ?",
    "syslog_iso": rf"(?P<time>{ZONED}) (?!(?:{LEVELS})\b)(?P<node>{NAME}) {SURE_UNIT}",
    "syslog_iso_bare": rf"(?P<time>{ZONED}) (?P<host>{HOST}) (?P<unit>[a-z][\w./@()-]{{0,80}}): ",
    "journal_full": rf"[A-Z][a-z]{{2}} (?P<time>{DATED})(?: [A-Z]{{3,5}}| [+-]\d\d)? (?P<node>{NAME}) {UNIT}",
    "journal_unix": rf"(?P<time>1\d{{9}}\.\d{{6}}) (?P<node>{NAME}) {SURE_UNIT}",
    "actions": r"(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,9}Z)(?: \d\d[OE](?:\+| |$))?:? ?",
    "annotation": r"##\[(?P<level>error|warning|debug|section|command|group|endgroup|notice)\] ?",
    "python_logging": (
        rf"(?P<time>{ISO})\s+-\s+(?:(?P<logger>[\w./:-]+)\s+-\s+)?(?P<level>{LEVELS})\s+-\s"
    ),
    "hydra": rf"\[(?P<time>{ISO})\]\[(?P<logger>[\w./:-]+)\]\[(?P<level>{LEVELS})\] - ",
    "loguru": rf"\| +(?P<level>{LEVELS}) +\| +(?:(?P<place>[\w.<>]+:[\w.<>]+:\d+) +- +)?",
    "transformers": rf"\[(?P<level>{LEVELS})\|(?P<place>[\w./-]+:\d+)\] (?P<time>{ISO}) >> ",
    "llamafactory": rf"\[(?P<level>{LEVELS})\|(?P<time>{ISO})\] (?P<place>[\w./-]+:\d+) >> ",
    "nemo": rf"\[NeMo (?P<level>[A-Z]) (?P<time>{ISO}) (?P<place>[^\]]{{1,80}})\] ?",
    "sglang": rf"\[(?P<time>{ISO}) (?P<actor>[DTPE]P\d+(?: [DTPE]P\d+){{0,3}})\] ?",
    "tensorrt": rf"\[TensorRT-LLM\]\[(?P<level>{LEVELS})\] ",
    "trt_llm": r"\[TRT-LLM\] (?:\[RANK (?P<rank>\d+)\] )?\[(?P<level>[A-Z])\] ",
    "plog": rf"\[(?P<level>{LEVELS})\] [A-Z]\w{{1,20}}\((?P<pid>\d+),[^)]{{1,40}}\):(?P<time>{ISO}) ",
    "npu": r"\(PID:(?P<pid>\d+), Device:(?:(?P<gpu>\d+)|-\d+), RankID:(?:(?P<rank>\d+)|-\d+)\) ",
    "ucx": (
        rf"\[(?P<time>1\d{{9}}\.\d+)\] \[(?P<node>{NAME}):(?P<pid>\d+):\d+\] +(?P<place>[\w.]+:\d+) +"
        rf"(?=UCX +(?P<level>{LEVELS}))"
    ),
    "orte": rf"\[(?P<host>{HOST}):(?P<pid>\d{{2,9}})\] ",
    # A progress bar into whose line a logger or an exception wrote.
    "bar": (
        r"(?:[^|]{0,80}: ?)?\s{0,4}\d{1,3}%\|[^|]{0,200}\| ?[\d.]+\w?/[\d.]+\w? \[[^\]]{0,100}\] ?"
        rf"(?=\[?{ISO}|\[rank\d|Traceback \(most|(?:[\w.]{{1,80}}\.)?[A-Z]\w{{1,60}}(?:Error|Exception): |"
        rf"\[?(?:{LEVELS})[\]: |]|[IWEF]\d{{4}} \d\d:)"
    ),
    "tag": rf"\[(?!(?:{LEVELS})\])[A-Za-z][\w.-]{{0,40}}\] ?(?=\[?{ISO})",
    "time": rf" {{0,2}}\[?(?P<time>{ISO})\]?:? ?",
    "slashed_time": r"\[?(?P<time>\d\d/\d\d/\d\d(?:\d\d)?[ ,T-]+\d\d:\d\d:\d\d(?:[.,]\d+)?)\]?(?: +- |:? ?)",
    "short_time": r"\[?(?P<time>\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d+)?)\]? ",
    "dmesg_time": rf"\[(?P<time>{CTIME})\] ",
    "syslog": rf"(?P<time>{SYSLOG}) (?P<node>{NAME}) {UNIT}",
    "clock": r"\[?(?P<time>\d\d:\d\d:\d\d(?:[.,]\d+)?)\]? ",
    "nccl": r"(?P<node>[A-Za-z][\w.-]*):(?P<pid>\d+):\d+ \[(?P<gpu>\d+)\] (?=(?:\S+:\d+ )?[NRH]CCL )",
    "rank_bracket": r"\[(?:[Rr]ank|RANK)(?:: ?| )?(?P<rank>\d+)\]:? ?",
    "rank_equals": r"rank=(?P<rank>\d+),? +",
    "rank_colon": r"[Rr]ank ?(?P<rank>\d+): +",
    "ray_level": rf"\t?(?P<level>{LEVELS}) (?P<place>[\w./-]+:\d+) -- ",
    "letter": r"(?P<level>[IWEF]) (?P<place>[\w./-]+:\d+)\] ?",
    "level_bracket": rf"[\[【] ?(?P<level>{LEVELS}) *[\]】]:? ?",
    "level_dashes": rf"(?P<level>{LEVELS}) +- +",
    "level": rf"(?P<level>{LEVELS})(?:[:：]| +(?=[\[\d-]))\s*",
    "level_word": rf"(?P<level>{LEVELS})\s+",
    "place": rf"\[(?P<place>{FILE_LINE})(?::[\w.<>]+)?\] ?",
    # Of vLLM until 0.8 and of absl.
    "place_closed": rf"(?P<place>{FILE_LINE})\] ?",
    "module": r"\[(?P<place>[A-Za-z_]\w{0,60}\.[\w.]{1,80}:\d+)(?::[\w.<>]+)?\] ?",
    "process": r"\[(?:pid|PID)[ :=]?(?P<pid>\d+)\] ?",
    "stage": r"\[(?:default|launch|kernel)\] +",
    "journal_monotonic": rf"\[ *\d+\.\d{{6}}\] (?P<node>{NAME}) {SURE_UNIT}",
    "facility": r"(?:kern|user|daemon|syslog) *:(?P<level>emerg|alert|crit|err|warn|notice|info|debug) *: ",
    "kernel": r"(?:kernel: )?\[ *\d+\.\d{3,6}\] ",
    # srun pads the numbers of its tasks to one width.
    "task": r" {0,4}(?P<task>\d{1,5}): (?= *\S)",
    # pdsh, DeepSpeed's launcher, names hosts by what its list of them does.
    "pdsh": r"(?P<node>\d{1,3}(?:\.\d{1,3}){3}): ",
    "host": rf"(?P<host>{HOST}): ?",
}  # fmt: skip
PATTERNS = {name: re.compile(text) for name, text in PARTS.items()}
# These say who or when in too few letters to be believed anywhere but at the very beginning.
FIRST_ONLY = frozenset(
    {"priority", "kail", "events", "described", "task", "compose", "clock", "bar", "facility", "pdsh"}
)
# These may be something else at the very beginning.
NEVER_FIRST = frozenset({"module"})
AGAIN = frozenset({"time", "nccl", "ray", "cri"})
AFTER_TIME = frozenset({"level_word", "letter"})
TIMES = frozenset({"time", "sglang", "short_time", "slashed_time", "clock", "actions", "cri"})
