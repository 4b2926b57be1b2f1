"""Pages by which a team sets a project up and runs it: people, guidelines, codebook, rounds and their samples."""
