"""A release's main tables as Parquet, beside the CSV files that they are made from.

Other columns' types are Table Schema's (`metadata.TYPES`); several nodes of a cell are a list. They are no part of what
tells whether results have changed: the same rows give other bytes in another version of DuckDB.
"""

import csv
import io
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

import duckdb

from kb.exports.parquet import SETTINGS, SQL_TYPES
from labeling.releases.metadata import ABOUT, TYPES

LISTS = ("nodes",)


def beside(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """File name -> content of a Parquet file for every described table among these files."""
    tables = {}
    for path in sorted(ABOUT.keys() & files.keys()):
        tables[str(PurePosixPath(path).with_suffix(".parquet"))] = _parquet(files[path])
    return tables


def _parquet(content: bytes) -> bytes:
    header = next(csv.reader(io.StringIO(content.decode(), newline="")))
    types = {name: SQL_TYPES[TYPES.get(name, "string")] for name in header}
    texts = [name for name, kind in types.items() if kind == "VARCHAR"]
    with TemporaryDirectory() as folder, duckdb.connect(config=SETTINGS) as connection:
        source, target = Path(folder, "table.csv"), Path(folder, "table.parquet")
        source.write_bytes(content)
        rows = connection.read_csv(
            str(source), header=True, delimiter=",", quotechar='"', escapechar='"', auto_detect=False, columns=types,
            force_not_null=texts,
        )  # fmt: skip
        columns = []
        for name in header:
            split = f'CASE WHEN "{name}" = \'\' THEN [] ELSE string_split("{name}", \'|\') END AS "{name}"'
            columns.append(split if name in LISTS else f'"{name}"')
        rows.project(", ".join(columns)).write_parquet(str(target), compression="zstd")
        return target.read_bytes()
