"""Commands of the imports."""
