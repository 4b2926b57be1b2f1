"""The words of the interface, the docs and the codebook: docs/wording.md, kept by a test."""
