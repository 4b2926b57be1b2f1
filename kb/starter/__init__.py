"""The starter knowledge base: one reviewed YAML record per real issue under `records/`.

`format.py` defines a record; `load.py` loads records into the database and `export.py` writes them back. The words are
our own, never an issue's text.
"""
