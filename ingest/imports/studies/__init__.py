"""Importing labelled data sets of published studies.

`mapping.py` says what a mapping file may contain, `matching.py` finds the node that a cell means, `rows.py`
reads one record, `write.py` brings many of them into the database, `load.py` runs an import.
`mappings/` holds the mappings that ship; the data sets do not ship.
"""
