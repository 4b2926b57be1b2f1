"""Everything that labeling writes. A service is named by a verb, locks what it changes, and raises `RefusedError`."""
