"""Where annotators work: the next issue, the labeling page, their own votes, and what they label by."""
