"""Held out: runs in which nothing goes wrong, and logs that do not tell."""

from tests.kb.core.diagnosis.generators.faults.quiet import healthy, no_evidence

HEALTHY_TRAINING = healthy(0.5)
HEALTHY_SERVING = healthy(0.4)
NO_EVIDENCE = no_evidence("environment ready", "{name}: queued behind 3 others", "{name}: started")
