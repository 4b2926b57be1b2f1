"""Signals: what single log lines are known to say, in which role, how surely, and what to check then.

Knowledge as data: one YAML file per family in `families/`. A match records what a line says; whether it is the cause
of a failure is for others to decide.
"""
