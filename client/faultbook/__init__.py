"""Faultbook's client: what went wrong in a run, from its logs, without a server. Nothing is sent unless asked.

Its subcommands are listed in `commands`; what they know is `kb.core`, which a wheel carries as `faultbook.core`.
"""

__version__ = "0.2.0"
