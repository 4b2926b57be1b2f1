"""Which repositories and issues belong here: keywords and lists."""
