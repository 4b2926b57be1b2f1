"""Pages of search: results, facets, what the box offers, feeds. Which issues match is decided in `kb.search`."""
