"""Jobs with known truth."""

from dataclasses import replace
from random import Random

from tests.kb.core.diagnosis.generators.cluster import built
from tests.kb.core.diagnosis.generators.job import Job
from tests.kb.core.diagnosis.generators.plays import PLAYS
from tests.kb.core.diagnosis.generators.script import Script
from tests.kb.core.diagnosis.generators.spec import Spec, styles_of
from tests.kb.core.diagnosis.generators.styles import style_of
from tests.kb.core.diagnosis.generators.writing import written


def generate(spec: Spec) -> Job:
    """The job of this spec; always the same bytes."""
    if spec.style not in styles_of(spec.kind):
        raise ValueError(f"{spec.kind} does not happen in the style {spec.style}")
    rng = Random(spec.key)  # noqa: S311 - made-up logs, no secrets
    script = Script(spec, built(spec, rng), style_of(spec), rng)
    PLAYS[spec.kind][spec.variant](script)
    return written(script)


def healthy_like(spec: Spec, seed: int) -> Job:
    """A healthy run of the same style and size. A held-out spec gets the held-out noise and names."""
    kind = "healthy_serving" if spec.serving else "healthy_training"
    return generate(replace(spec, kind=kind, seed=seed, variant=2 if spec.held_out else seed % 2))
