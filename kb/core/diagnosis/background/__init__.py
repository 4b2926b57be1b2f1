"""What is usual: which alarming kinds of lines healthy runs have, too. Digests and counts, never a log's text."""
