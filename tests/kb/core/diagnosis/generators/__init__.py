"""Made-up logs of many ranks with known truth, to test and measure a diagnoser that has not seen them.

They follow what real systems print, not what a diagnoser looks for. See spec.py for kinds and styles.
"""

from tests.kb.core.diagnosis.generators.generate import generate, healthy_like
from tests.kb.core.diagnosis.generators.job import Job, Truth
from tests.kb.core.diagnosis.generators.spec import HELD_OUT_VARIANTS, KINDS, STYLES, Spec, held_out_specs, tuning_specs
from tests.kb.core.diagnosis.generators.stream import stream

__all__ = [
    "HELD_OUT_VARIANTS",
    "KINDS",
    "STYLES",
    "Job",
    "Spec",
    "Truth",
    "generate",
    "healthy_like",
    "held_out_specs",
    "stream",
    "tuning_specs",
]
