"""Logs of failed runs, as small or as large as a test wants them, and pairs of name and content as files."""

import gzip
import io
import tarfile
import zipfile
from collections.abc import Mapping

from django.core.files.uploadedfile import SimpleUploadedFile

from kb.diagnose.uploads import Upload

ERROR = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of 79.1 GiB"
FAILED = f"""\
[rank3]: 2026-11-20 10:00:01,000 INFO iteration 41 loss: 2.31
[rank3]: 2026-11-20 10:00:02,000 INFO iteration 42 loss: 2.29
[rank3]: Traceback (most recent call last):
[rank3]:   File "/app/train.py", line 88, in <module>
[rank3]:     loss.backward()
[rank3]: {ERROR}
torch.distributed.elastic.multiprocessing.api: [ERROR] failed (exitcode: 1) local_rank: 3 (pid: 812) of binary: python
"""
STEP = "[rank{rank}]: 2026-11-20 09:{minute:02}:{second:02},000 INFO iteration {step} | lm loss: 2.{step:06}\n"


def steps(size: int) -> str:
    """So many bytes, or a few more, of iterations that go well."""
    lines, length, step = [], 0, 0
    while length < size:
        line = STEP.format(rank=step % 8, minute=step // 60 % 60, second=step % 60, step=step)
        lines.append(line)
        length += len(line)
        step += 1
    return "".join(lines)


def failed_run(size: int = 0) -> bytes:
    """A run that fails at its end, after so many bytes of iterations."""
    return (steps(size) + FAILED).encode()


def as_tar(files: Mapping[str, bytes]) -> bytes:
    """An archive of these files, compressed."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return content.getvalue()


def as_zip(files: Mapping[str, bytes]) -> bytes:
    """A zip file of these files."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return content.getvalue()


def bomb(size: int) -> bytes:
    """So many zeros, packed."""
    packed = io.BytesIO()
    with gzip.open(packed, "wb", compresslevel=9) as stream:
        for _ in range(size >> 20):
            stream.write(bytes(1 << 20))
    return packed.getvalue()


def handed_in(content: bytes, name: str = "job.log", *, healthy: bool = False) -> Upload:
    """A file as a request hands it in."""
    return Upload(name, io.BytesIO(content), len(content), healthy)


def uploaded(content: bytes, name: str = "job.log") -> SimpleUploadedFile:
    """A file as a form sends it."""
    return SimpleUploadedFile(name, content)
