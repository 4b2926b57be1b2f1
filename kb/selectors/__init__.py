"""Everything that reads the knowledge base for a page, the API or an export. Writing lives in `services`."""
