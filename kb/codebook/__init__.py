"""The house codebook and the published studies' schemes, as reviewed YAML, and the code that loads them.

`house.yaml` is our own vocabulary; `studies/` holds one read-only scheme per published study;
`format.py` says what those files may contain. Labels and issues do not live here.
"""
