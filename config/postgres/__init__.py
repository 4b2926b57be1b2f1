"""The database engine: Django's for PostgreSQL, with what `base` adds."""
