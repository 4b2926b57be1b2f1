"""Search without Django: words, plans, ranking, error lines, the tantivy index. Filters and names are `kb.search`'s."""
