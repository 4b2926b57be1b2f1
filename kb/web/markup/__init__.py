"""Texts as safe HTML: curated Markdown, mirrored issues, headings, and the marks that templates repeat."""
