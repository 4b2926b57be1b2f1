"""Readers of set-ups: one module per family of forms. Each takes a part of a text and tells a draft what it says.

Not here: how a text is taken apart (`parts.py`), which reader has a turn (`reading.py`), and what follows from what was
read (`deriving.py`).
"""
