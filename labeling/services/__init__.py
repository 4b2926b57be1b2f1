"""Everything that labeling writes. Each service is one verb, locks what it changes, and raises `RefusedError`."""
