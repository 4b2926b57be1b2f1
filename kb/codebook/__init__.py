"""The house codebook and the published studies' schemes, as reviewed YAML, and the code that loads them.

`house.yaml` is our own vocabulary; `playbooks/` holds what to do about each of its fix patterns, with an example;
`studies/` holds one read-only scheme per published study; `format.py` and `playbooks.py` say what those files may
contain. Labels and issues do not live here.
"""
