"""Dumps of PyTorch's Flight Recorder: reading them without trust, and finding the rank that holds up the others.

Pure Python that knows no Django and none of the log reading beside it.
"""
