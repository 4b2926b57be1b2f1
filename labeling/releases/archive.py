"""Packs a release's files with their metadata and checksums; the same files always give the same bytes."""

import hashlib
import io
import zipfile
from collections.abc import Mapping

from labeling.releases.metadata import CHECKSUMS, Title, described
from labeling.releases.parquet import beside

EPOCH = (1980, 1, 1, 0, 0, 0)
READ_AND_WRITE = 0o644 << 16


def state_hash(files: Mapping[str, bytes]) -> str:
    """The SHA-256 of the results' files, equal exactly if the results are."""
    return hashlib.sha256(_sums(files)).hexdigest()


def pack(files: Mapping[str, bytes], title: Title) -> bytes:
    """The archive of the results' files with tables in Parquet, what describes them, and checksums."""
    files = {**files, **beside(files)}
    whole = {**files, **described(files, title)}
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
