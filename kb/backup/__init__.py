"""Backups of the whole database: made, kept, looked at and restored. Dumps for the public are `kb.exports.dumps`."""
