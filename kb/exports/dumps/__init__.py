"""Dumps of the public knowledge base: what is in a table is in `tables`, how files are made in `writing`.

`described` says what the files are, `publishing` makes a version of them, `versions` lists those that are there.
"""
