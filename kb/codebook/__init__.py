"""The house codebook and the published studies' schemes, as reviewed YAML, and the code that loads them.

`house.yaml` is our own vocabulary; `playbooks/` has a guide with an example for each of its fix patterns; `studies/`
has one read-only scheme per published study. `format.py`, `playbooks.py` and `tables.py` define the files' formats.
"""
