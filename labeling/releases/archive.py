"""Packs a release's files with README, citation and checksums; the same files always give the same bytes."""

import hashlib
import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass

import yaml

EPOCH = (1980, 1, 1, 0, 0, 0)
CHECKSUMS = "SHA256SUMS"
READ_AND_WRITE = 0o644 << 16


@dataclass(frozen=True)
class Title:
    """A release's own metadata. `authors`: `Family, Given`, or a group; `dated`: the day of the newest change."""

    title: str
    number: int
    authors: tuple[str, ...]
    licence: str
    note: str
    dated: str
    question: str
    counts: str


def state_hash(files: Mapping[str, bytes]) -> str:
    """The SHA-256 of the results' files, equal exactly if the results are."""
    return hashlib.sha256(_sums(files)).hexdigest()


def pack(files: Mapping[str, bytes], title: Title) -> bytes:
    """The archive of the results' files with README, citation and checksums."""
    whole = {**files, "README.md": _readme(title, files).encode(), "CITATION.cff": _citation(title).encode()}
    whole[CHECKSUMS] = _sums(whole)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(whole):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, READ_AND_WRITE, 3
            archive.writestr(entry, whole[name])
    return out.getvalue()


def unpack(archive: bytes) -> dict[str, bytes]:
    """Name -> content of an archive that `pack` made."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def _sums(files: Mapping[str, bytes]) -> bytes:
    """The checksums, in the format of `sha256sum`."""
    return "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files)).encode()


def _citation(title: Title) -> str:
    """Citation File Format 1.2.0."""
    authors = []
    for name in title.authors:
        family, comma, given = (part.strip() for part in name.partition(","))
        if comma and given:
            authors.append({"family-names": family, "given-names": given})
        else:
            authors.append({"name": name.strip()})
    values = {
        "cff-version": "1.2.0",
        "message": "If you use these data, please cite them as below.",
        "type": "dataset",
        "title": title.title,
        "version": str(title.number),
        "date-released": title.dated,
        "license": title.licence,
        "abstract": f"{title.question} {title.counts}",
        "authors": authors,
    }
    return yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=120)


def _readme(title: Title, files: Mapping[str, bytes]) -> str:
    lines = []
    for name in sorted(files):
        if "/plots/" not in name:
            descriptions = [words for prefix, words in DESCRIBED.items() if name.startswith(prefix)]
            lines.append(f"- `{name}`: {descriptions[0] if descriptions else 'part of the results'}")
    listed = "\n".join(lines)
    note = f"\n{title.note}\n" if title.note else ""
    return (
        f"# {title.title}, release {title.number}\n\n{title.question}\n{note}\n{title.counts}\n\n"
        f"Licence of the labels: {title.licence}. Issues' texts belong to their authors and are not in here; follow "
        "the addresses.\n\n"
        f"## Files\n\n{listed}\n\n"
        f"`sha256sum -c {CHECKSUMS}` checks them. `CITATION.cff` says how to cite this release. Annotators have "
        "pseudonyms that stay the same in all releases of this project; the order of lines says nothing about the "
        "order in which anybody worked.\n"
    )


DESCRIBED = {
    "DATA.md": "every column and key of the tables, in words",
    "METHOD.md": "how the labels were made, with the numbers",
    "codebook.json": "the codebook, its earlier versions, and the votes that changed it",
    "data/issues.jsonl": "each issue with its decided answers and how they came about",
    "data/labels.csv": "the same as a table, one row per issue and question; several nodes are separated by |",
    "data/rounds.json": "the rounds, their rules and samples, and the hash of each text as annotators saw it",
    "votes/votes.csv": "all votes, one row per issue, annotator and question",
    "votes/votes.jsonl": "the same as JSON lines",
    "agreement/report": "the agreement report",
    "agreement/agreement.json": "its numbers for programs",
    "agreement/matrices/": "the table that one question's agreement was computed from",
}
