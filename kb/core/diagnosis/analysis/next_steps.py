"""What to check next, as commands with the names that the diagnosis found. What a signal asks for stands with it."""

import re
from collections.abc import Iterable
from dataclasses import replace

from kb.core.diagnosis.report import Diagnosis
from kb.core.diagnosis.signals.commands import filled

PCI = r"\b[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}(?:\.[0-7])?\b"
# How the lines that failed first name what they are about.
NAMED = {
    "pid": re.compile(r"\b(?i:pid)['\"]?\s{0,3}[:=]?\s{0,3}'?(\d{1,7})\b|\b[Pp]rocess (\d{2,7})\b"),
    "gpu": re.compile(r"\b(?:cuda:|GPU[ -]?|NPU[ -]?|npu:|device_id[ =:]{1,2}|[Dd]evice[:= ])(\d{1,2})\b(?![:.\d])"),
    "nic": re.compile(r"\b(mlx[45]_\d{1,2}|hns_\d{1,2}|bnxt_re\d{1,2}|rdmap\d+s\d+|ib[sp]?\d\w{0,8})\b"),
    "pci": re.compile(f"({PCI})", re.IGNORECASE),
}


def with_names(diagnosis: Diagnosis) -> Diagnosis:
    """The diagnosis with the first suspect's names, and those of the lines that failed first, in its checks."""
    if not diagnosis.checks:
        return diagnosis
    names = names_in(line.text for line in diagnosis.lines if line.indicated)
    if diagnosis.nodes:
        names["node"] = diagnosis.nodes[0].name
    if diagnosis.ranks:
        names["rank"] = diagnosis.ranks[0].name
    checks = dict.fromkeys(filled(check, names) for check in diagnosis.checks)
    return replace(diagnosis, checks=tuple(checks))


def names_in(texts: Iterable[str]) -> dict[str, str]:
    """The first process, GPU, adapter and PCI address that the lines name, by placeholder."""
    names: dict[str, str] = {}
    for text in texts:
        for placeholder, pattern in NAMED.items():
            match = pattern.search(text)
            if match is not None:
                names.setdefault(placeholder, match[match.lastindex or 0])
    # NVIDIA's tools take a GPU's PCI address in the place of its number.
    if "pci" in names:
        names.setdefault("gpu", names["pci"])
    return names
