"""The labeling API."""
