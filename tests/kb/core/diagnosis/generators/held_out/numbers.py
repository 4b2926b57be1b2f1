"""Held out: numbers that go wrong."""

from tests.kb.core.diagnosis.generators.faults.numbers import loss_nan, loss_spike

LOSS_NAN = loss_nan("FloatingPointError: loss is not finite (nan), giving up", goes_on=2)
LOSS_SPIKE = loss_spike(18.6, 410.0)
