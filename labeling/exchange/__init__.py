"""Votes out and in: CSV and JSON lines, long and wide, doccano and Label Studio.

Pure: `rows` (what a vote says on one question), `writing`, `reading`. On the database: `exporting` streams what a
member may see, `checking` holds a file against the project, `importing` takes a file in and is the work of its job.
"""
