"""Pages where the codebook changes by vote: proposals, ballots, decisions, and what follows from them."""
