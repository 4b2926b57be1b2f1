"""What every Parquet file of ours shares: DuckDB's settings, and its types for those of Table Schema."""

SQL_TYPES = {
    "integer": "BIGINT", "number": "DOUBLE", "boolean": "BOOLEAN", "date": "DATE", "datetime": "TIMESTAMPTZ",
    "string": "VARCHAR", "array": "VARCHAR[]", "object": "JSON",
}  # fmt: skip
# One thread writes the same bytes each time; nothing is fetched.
SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "threads": 1, "autoinstall_known_extensions": False, "autoload_known_extensions": False,
}  # fmt: skip
