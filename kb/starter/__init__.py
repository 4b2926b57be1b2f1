"""The starter knowledge base: one reviewed YAML record per real issue under `records/`.

`format.py` says what a record may contain; `load.py` brings records into the database and `export.py`
writes them back. Only words of our own are kept here, never an issue's text.
"""
