"""One issue: its page, its addresses, its thread."""
