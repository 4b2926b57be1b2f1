"""Reading what imports left behind: totals over rows, votes, the course of runs."""
