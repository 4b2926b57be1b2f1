"""From what a pass over the lines kept to what went wrong: order, progress, candidates, blame, verdict."""
