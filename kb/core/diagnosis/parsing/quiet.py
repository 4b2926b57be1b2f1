"""For how long a run may be quiet before it counts as standing still. Whether one does is judged elsewhere."""

import re

# A pause that is many times the usual step, and minutes long, is a hang and not a slow step.
STEPS, SECONDS = 8.0, 240.0
# What is done in silence may take so long.
QUIET_WORK = 3_600.0
WORKS_QUIETLY = re.compile(
    r"\b(?:compil\w*|tracing|autotun\w*|captur\w*|warm(?:ing)?[- ]?up|torch\.compile|jit\w*|lowering|building)\b",
    re.IGNORECASE,
)
