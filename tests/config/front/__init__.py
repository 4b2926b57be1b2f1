"""The front of a web process."""
