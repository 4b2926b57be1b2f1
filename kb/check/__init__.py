"""Checking a set-up before it runs, against what the database knows. Nothing is stored; all else is `kb.core.check`."""
