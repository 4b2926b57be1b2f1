"""Drills: the served site while something fails or somebody misbehaves. `make drills` runs them all."""
