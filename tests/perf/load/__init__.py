"""All kinds of visitors at once: `make load`. `visitors.py` is a locustfile, and knows a site by its address alone."""
