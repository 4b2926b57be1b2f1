"""Votes out and in: CSV and JSON lines, long and wide, doccano and Label Studio.

Pure: `rows` (one answer), `serialize`, `parse` with `tools`, `values`. On the database: `export` streams the votes that
a member may see, `validation` checks a file against the project, `intake` imports a file and is the work of its job.
"""
