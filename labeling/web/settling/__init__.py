"""Pages where disagreements are settled: the queue, one issue, the adjudicator's desk, and what settling did."""
