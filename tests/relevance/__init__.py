"""Is the right issue on top? A judged set of queries, measured beside two plain engines over the same texts.

The set and how it was made: README.md. `make relevance` prints the tables; the gate holds the targets.
"""
