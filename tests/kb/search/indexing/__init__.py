"""The search index follows the database: changes, rebuilds beside the index in use, kills, other processes."""
