"""The checks of signals with the names of a run filled in: the node, the rank, the GPU. Nothing is chosen here.

A check holds placeholders: ``See `dmesg -T` on {node}.`` Where a name is not known, a sentence says "the node" and a
command, which stands between backticks, `NODE`.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

# What a sentence says where the name is not known.
WORDS: Mapping[str, str] = MappingProxyType(
    {
        "node": "the node",
        "rank": "that rank",
        "gpu": "that GPU",
        "pid": "that process",
        "nic": "that adapter",
        "pci": "that device",
    }
)
# What a sentence says before the name.
KINDS: Mapping[str, str] = MappingProxyType(
    {"rank": "rank ", "gpu": "GPU ", "pid": "process ", "nic": "adapter ", "pci": "device "}
)
PLACEHOLDER = re.compile(r"\{([^}]*)\}")
# Names come out of logs that anybody may have written, and commands are pasted into shells.
SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,99}")
NO_NAMES: Mapping[str, str] = MappingProxyType({})


def filled(check: str, names: Mapping[str, str] = NO_NAMES) -> str:
    """The check with the names that are known, by placeholder, and with plain words for the others."""
    parts = check.split("`")
    parts[::2] = [PLACEHOLDER.sub(lambda match: _in_sentence(match[1], names), part) for part in parts[::2]]
    parts[1::2] = [PLACEHOLDER.sub(lambda match: _in_command(match[1], names), part) for part in parts[1::2]]
    text = "`".join(parts)
    return text[:1].upper() + text[1:]


def unknown_placeholders(check: str) -> list[str]:
    """The names between braces that nothing could be filled in for."""
    return [name for name in PLACEHOLDER.findall(check) if name not in WORDS]


def _in_sentence(placeholder: str, names: Mapping[str, str]) -> str:
    name = _safe(placeholder, names)
    return KINDS.get(placeholder, "") + name if name else WORDS[placeholder]


def _in_command(placeholder: str, names: Mapping[str, str]) -> str:
    return _safe(placeholder, names) or placeholder.upper()


def _safe(placeholder: str, names: Mapping[str, str]) -> str:
    name = names.get(placeholder, "")
    return name if SAFE.fullmatch(name) else ""
