"""Signals by words, stack and family, for the page and the API alike."""

from collections.abc import Sequence

from kb.core.diagnosis.signals.catalogue import catalogue
from kb.core.diagnosis.signals.format import FamilyFile, Signal

STACKS = {
    "communication": "Communication and networks",
    "accelerators": "GPUs, NPUs and TPUs",
    "training": "Training and fine-tuning",
    "serving": "Serving",
    "data": "Data and checkpoints",
    "cluster": "Clusters and schedulers",
    "programs": "Programs, packages and builds",
    "tests": "Tests and automation",
    "anywhere": "Anywhere",
}


def families() -> dict[str, FamilyFile]:
    """The families by name, in their order."""
    return {family.family: family for family in catalogue().families}


def matching(words: str, stack: str, family: str) -> Sequence[Signal]:
    """The signals of this stack and family, all where these are empty, that have all words."""
    by_name = families()
    return [
        signal
        for signal in catalogue().signals
        if family in ("", signal.family)
        and stack in ("", by_name[signal.family].stack)
        and _mentions(signal, by_name[signal.family], words)
    ]


def _mentions(signal: Signal, family: FamilyFile, words: str) -> bool:
    texts = [signal.code, signal.means, signal.symptom or "", family.title, STACKS[family.stack]]
    text = "\n".join([*texts, *signal.check, *signal.examples, *signal.causes]).casefold()
    return all(word in text for word in words.casefold().split())
