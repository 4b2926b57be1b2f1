"""Checking a set-up before it runs: texts in, known faults that affect it out. Nothing is stored.

How a set-up is read and judged is `kb.core.setups`; what is known comes from `kb.selectors.affected`.
"""
