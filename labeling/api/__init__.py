"""REST API of labeling: what the pages let a member do, for programs. Private; the sessions of the pages open it.

The contract is `tests/contracts/labeling.yaml`. No rule is made here: services write, `selectors.visible` decides what
is seen, and `selectors.membership` what an address names.
"""
