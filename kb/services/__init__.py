"""Everything that writes to the knowledge base: typed, keyword-only, one verb each. Reading lives in `selectors`."""
