"""How good Faultbook is, as figures with n and interval: what was measured, what others published, what is missing.

Only figures are here, each written by the test or command that measures it; how they are measured is with these.
"""
