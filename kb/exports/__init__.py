"""Files and citations that leave the knowledge base: what a page shows, in a format another tool reads."""
