"""Figures: pure functions from numbers to Plotly figures and to the same numbers as a table.

The numbers come from one selector each; nothing here reads the database.
"""
