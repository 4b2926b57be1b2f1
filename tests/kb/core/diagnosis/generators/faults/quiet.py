"""Runs in which nothing goes wrong, and logs that do not tell."""

from tests.kb.core.diagnosis.generators import acts, noise
from tests.kb.core.diagnosis.generators.play import Play
from tests.kb.core.diagnosis.generators.script import Script


def healthy(noisy: float) -> Play:
    """A whole run, with so many alarming lines in it."""

    def play(s: Script) -> None:
        acts.opening(s)
        while s.step < s.spec.iterations:
            acts.iterate(s, s.step + 1)
            noise.during(s, noisy)
        if not s.spec.serving:
            acts.ending(s)

    return play


def no_evidence(*texts: str) -> Play:
    """A few plain lines, and the end."""

    def play(s: Script) -> None:
        s.verdict = "no_evidence"
        for text in texts:
            s.boss(text.format_map(s.words(0)))
            s.wait(1)

    return play


HEALTHY_TRAINING: tuple[Play, ...] = (healthy(0.1), healthy(0.9))
HEALTHY_SERVING: tuple[Play, ...] = (healthy(0.0), healthy(0.7))
NO_EVIDENCE: tuple[Play, ...] = (
    no_evidence("loading modules: cuda/12.4 nccl/2.21", "working directory is {name}", "submitted as {job}"),
    no_evidence("Mounting volumes", "Pulling image registry/{name}:latest", "Image pulled", "Container started"),
)
