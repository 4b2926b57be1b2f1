"""Files of others: studies, issue dumps, record readers, what was rejected and why. Mirrors are ingest/sync's."""
