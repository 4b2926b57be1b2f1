"""What is known offline, in one file: curated records, categories, counts and confirmed failures, without a database.

`shape` says what a file holds, `file` reads and writes it, `known` answers from it. Who makes one is `kb.exports`;
docs/client-data.md describes the format.
"""
