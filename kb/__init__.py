"""What is known: frameworks, issues, fixes, the codebook, labels, studies, and every way to read them.

`ingest` and `labeling` are the two ways things become known; both import `kb`, never the reverse.
"""

# As pyproject.toml says it, which is not in the image.
__version__ = "0.2.0"
