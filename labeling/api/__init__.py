"""REST API of labeling: what the pages let a member do, for programs. Private; the sessions of the pages open it.

The contract is `tests/contracts/labeling.yaml`. There are no rules here: services write, `selectors.visible` decides
what is seen, and `selectors.membership` what a URL names.
"""
