"""Set-ups: what somebody runs, read from what they paste, and whether a condition holds of it.

Not here: which versions have a fault (records and histories say so, `kb.models.releases`), and pages.
"""
