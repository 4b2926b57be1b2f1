"""Suggestions for reports that nobody has labelled: by rules that are written down, each with its reason.

`suggester.py` is asked, `rules/` holds the rules, `measured.json` how often they were right. Everything here is pure;
`ingest.services.suggestions` writes what is suggested as labels of the source `rule`.
"""

from ingest.suggest.rules import read_rules
from ingest.suggest.suggester import Suggester
from ingest.suggest.values import NodeWords, Suggestion

__all__ = ["NodeWords", "Suggester", "Suggestion", "read_rules"]
