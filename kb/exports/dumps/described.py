"""What describes a dump: README, data dictionary, licence, citation, data package, Datasette's metadata, checksums."""

import datetime as dt
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from kb.exports import Json
from kb.exports.dumps.table import Table

CHECKSUMS = "SHA256SUMS"
PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"
LICENCE = "Apache-2.0"
LICENCE_URL = "https://www.apache.org/licenses/LICENSE-2.0"
MEDIA = {
    ".csv": "text/csv", ".json": "application/json", ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet", ".sqlite": "application/vnd.sqlite3",
    ".zip": "application/zip", ".zst": "application/zstd",
}  # fmt: skip
LICENCE_TEXT = f"""# Licence

What Faultbook wrote (records, codebook, playbooks, signals, labels of its own) is under the Apache License 2.0:
{LICENCE_URL}

Labels and numbers of studies are under the licence of each study, which `studies` and `sources` name; where none is
stated, they say so. Facts of reports (dates, states, counts, labels of their hosts) are nobody's. Titles and texts of
reports belong to their authors and are not in here: follow the addresses.
"""
CHUNK = 1 << 20


@dataclass(frozen=True)
class Version:
    """What a dump is called: its day, and the version of the house codebook."""

    day: dt.date
    codebook: str

    @property
    def name(self) -> str:
        """The name of its folder."""
        return f"{self.day}-codebook-{self.codebook}"


def describe(folder: Path, version: Version, tables: Sequence[Table], counts: Mapping[str, int], site: str) -> None:
    """Write beside the tables below `folder` what they are; the checksums last. `site`: our address, where known."""
    (folder / "README.md").write_text(_readme(version, tables, counts, site), "utf-8")
    (folder / "DATA.md").write_text(_dictionary(tables, counts), "utf-8")
    (folder / "LICENCE.md").write_text(LICENCE_TEXT, "utf-8")
    (folder / "CITATION.cff").write_text(_citation(version, site), "utf-8")
    _write_json(folder / "datasette.json", _datasette(version, tables))
    _write_json(folder / "datapackage.json", _datapackage(folder, version, tables, counts))
    (folder / CHECKSUMS).write_text(checksums(folder), "utf-8")


def checksums(folder: Path) -> str:
    """The checksums of all files below `folder`, in the format of `sha256sum`."""
    return "".join(f"{sha256(folder / name)}  {name}\n" for name in files_of(folder) if name != CHECKSUMS)


def files_of(folder: Path) -> list[str]:
    """The names of the files below `folder`, in order."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def sha256(path: Path) -> str:
    """The hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write_json(path: Path, value: Json) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", "utf-8")


def _readme(version: Version, tables: Sequence[Table], counts: Mapping[str, int], site: str) -> str:
    rows = "\n".join(f"| `{table.name}` | {counts[table.name]:,} | {table.about} |" for table in tables)
    return f"""# Faultbook, {version.day}

Known faults of frameworks for large models: what goes wrong, what causes it, what fixed it, and where the proof is.
House codebook {version.codebook}.{f" From {site}." if site else ""}

| table | rows | |
|---|---|---|
{rows}

- `jsonl/`: each table as JSON lines, compressed with zstd
- `parquet/`: each table as Parquet
- `faultbook.sqlite`: all tables with full text; `datasette serve faultbook.sqlite -m datasette.json` shows it
- `osv.zip`: each fault with a range of versions as a file in OSV's format
- `modified.csv`: the faults' ids and when each was changed, the newest first
- `DATA.md`: every column in words; `datapackage.json`: the same for programs
- `LICENCE.md`, `CITATION.cff`: how it may be used and cited

`sha256sum -c {CHECKSUMS}` checks the files. A public id such as FB-000860 never changes and is never given to another
fault. Titles and texts of reports are not in here: they belong to their authors.
"""


def _dictionary(tables: Sequence[Table], counts: Mapping[str, int]) -> str:
    parts = ["# Data dictionary", "Null is “not stated”. Days are days and moments are in UTC."]
    for table in tables:
        lines = [
            f"## `{table.name}`: {counts[table.name]:,} rows\n\n{table.about}\n",
            "| column | type | |",
            "|---|---|---|",
        ]
        lines += [f"| `{column.name}` | {column.type} | {column.about} |" for column in table.columns]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _citation(version: Version, site: str) -> str:
    values = {
        "cff-version": "1.2.0",
        "message": "If you use these data, please cite them as below.",
        "type": "dataset",
        "title": "Faultbook: known faults of frameworks for large models",
        "version": version.name,
        "date-released": version.day.isoformat(),
        "license": LICENCE,
        "authors": [{"name": "Faultbook"}],
        **({"url": site} if site else {}),
    }
    return yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=120)


def _datasette(version: Version, tables: Sequence[Table]) -> Json:
    """Datasette's metadata: where it is from, what columns mean, what to count by."""
    described: dict[str, Json] = {}
    for table in tables:
        described[table.name] = {
            "description": table.about,
            "columns": {column.name: column.about for column in table.columns},
            **({"facets": list(table.facets)} if table.facets else {}),
            **({"fts_table": f"{table.name}_fts", "fts_pk": "rowid"} if table.searched else {}),
        }
    return {
        "title": f"Faultbook, {version.day}",
        "license": LICENCE,
        "license_url": LICENCE_URL,
        "databases": {"faultbook": {"tables": described}},
    }


def _datapackage(folder: Path, version: Version, tables: Sequence[Table], counts: Mapping[str, int]) -> Json:
    by_name = {table.name: table for table in tables}
    resources: list[Json] = []
    for name in files_of(folder):
        path = folder / name
        resource: dict[str, Json] = {
            "name": name.lower().replace("/", "-").replace("_", "-"),
            "path": name,
            "format": "".join(path.suffixes).removeprefix("."),
            "mediatype": MEDIA.get(path.suffix, "application/octet-stream"),
            "bytes": path.stat().st_size,
            "hash": f"sha256:{sha256(path)}",
        }
        table = by_name.get(path.name.partition(".")[0]) if "/" in name else None
        if table:
            fields: list[Json] = [
                {"name": column.name, "type": column.type, "description": column.about} for column in table.columns
            ]
            resource |= {"type": "table", "rows": counts[table.name], "schema": {"fields": fields}}
        resources.append(resource)
    return {
        "$schema": PROFILE,
        "name": "faultbook",
        "title": "Faultbook: known faults of frameworks for large models",
        "version": version.name,
        "created": f"{version.day}T00:00:00Z",
        "licenses": [{"name": LICENCE, "path": LICENCE_URL}],
        "resources": resources,
    }
