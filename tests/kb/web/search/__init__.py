"""The search page: what it says about what it found, its facets, and that it never guesses in silence."""
