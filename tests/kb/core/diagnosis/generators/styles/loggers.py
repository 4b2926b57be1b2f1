"""How each system's logger writes a message."""

import json

from tests.kb.core.diagnosis.generators import clocks
from tests.kb.core.diagnosis.generators.entries import At


def _clock(at: At) -> str:
    return clocks.comma(at.cluster.clock(at.voice.node, at.time))


def _file(at: At) -> tuple[str, str, str]:
    name, line, function = at.where.split(":")
    return name, line, function


def titan(at: At, text: str) -> str:
    return f"[{at.cluster.name}] {_clock(at)} - root - {at.level} - {text}"


def loguru(at: At, text: str) -> str:
    name, line, function = _file(at)
    when = clocks.dot(at.cluster.clock(at.voice.node, at.time))
    return f"{when} | {at.level:<8} | {name.removesuffix('.py')}:{function}:{line} - {text}"


def slashes(at: At, text: str) -> str:
    when = clocks.american(at.cluster.clock(at.voice.node, at.time))
    return f"{when} - {at.level} - {_file(at)[0].removesuffix('.py')} - {text}"


def plain(at: At, text: str) -> str:
    """Megatron prints; only what is no mere information goes through Python's bare logging."""
    return f"> {text}" if at.level == "INFO" else f"{at.level}:core.{_file(at)[0].removesuffix('.py')}:{text}"


def deepspeed(at: At, text: str) -> str:
    name, line, function = _file(at)
    rank = f"[Rank {at.voice.rank}] " if at.voice.rank >= 0 else ""
    return f"[{_clock(at)}] [{at.level}] [{name}:{line}:{function}] {rank}{text}"


def columns(at: At, text: str) -> str:
    return f"{_clock(at)} {at.level:<7} {_file(at)[0].removesuffix('.py')}: {text}"


def iso(at: At, text: str) -> str:
    when = at.cluster.clock(at.voice.node, at.time)
    return f"{when.isoformat('T', 'milliseconds')} {at.level} {text}"


def ray(at: At, text: str) -> str:
    name, line, _ = _file(at)
    return f"{_clock(at)}\t{at.level} {name}:{line} -- {text}"


def bracketed(at: At, text: str) -> str:
    return f"[{_clock(at)}][{_file(at)[0].removesuffix('.py')}][{at.level}] - {text}"


def vllm(at: At, text: str) -> str:
    """vLLM's, with the process that speaks before it. Each line of a text gets its own head."""
    name, line, _ = _file(at)
    when = clocks.short(at.cluster.clock(at.voice.node, at.time))
    return f"{process(at)}{at.level} {when} [{name}:{line}] {text}"


def process(at: At) -> str:
    """The process as vLLM names it."""
    if at.voice.who == "rank":
        return f"(Worker_TP{at.voice.rank} pid={at.cluster.pid(at.voice.rank)}) "
    node = at.cluster.nodes[max(at.voice.node, 0)]
    return f"(EngineCore_DP0 pid={node.agent + 31}) " if at.voice.who == "engine" else f"(APIServer pid={node.agent}) "


def absl(at: At, text: str) -> str:
    name, line, _ = _file(at)
    letter = "F" if at.level == "CRITICAL" else at.level[0]
    pid = at.cluster.pid(at.voice.rank) if at.voice.rank >= 0 else at.cluster.nodes[max(at.voice.node, 0)].agent
    when = clocks.glog(at.cluster.clock(at.voice.node, at.time))
    return f"{letter}{when} {pid:7d} {name}:{line}] {text}"


def accelerate(at: At, text: str) -> str:
    """Transformers' own logger for information, its warnings with the level and the place alone."""
    name, line, _ = _file(at)
    if at.level == "INFO":
        return f"[INFO|{name}:{line}] {_clock(at)} >> {text}"
    return f"[{at.level}|{name}:{line}] {_clock(at)} >> {text}"


def message(at: At, text: str) -> str:
    """JSON lines: the message alone, the transport makes the object."""
    return text


def jsonl(at: At, text: str) -> str:
    """One object a line; a traceback is one text in it."""
    when = at.cluster.clock(at.voice.node, at.time)
    head, _, rest = text.partition("\n")
    known: dict[str, object] = {"ts": when.isoformat("T", "milliseconds") + "Z", "level": at.level.lower()}
    known |= {"host": at.host, "logger": at.where.split(":")[0].removesuffix(".py")}
    if at.voice.rank >= 0:
        known |= {"rank": at.voice.rank, "pid": at.cluster.pid(at.voice.rank)}
    known["msg"] = head
    if rest:
        known["exc_info"] = rest
    return json.dumps(known, ensure_ascii=False)
