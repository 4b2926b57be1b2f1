"""Standard output and error of the command, passed through byte by byte as they come. What they say is not looked at.

The command gets a terminal of its own where ours is one, so that it writes as it would without us, and a pipe for a
pipe. A file it keeps: that is followed like a rank's. Both streams share one where they went to the same place, so that
their order stays.
"""

import errno
import fcntl
import os
import stat
import sys
import termios
from contextlib import suppress
from pathlib import Path

OUTPUT, ERROR = 1, 2
CHUNK, PIPE_SIZE = 64 << 10, 1 << 20
F_SETPIPE_SZ = 1031


class Stream:
    """What the command writes to `written`, we read from `source` and write to `target`.

    `names`: the standard descriptors that it stands for. `source` is None once it has ended.
    """

    def __init__(self, names: tuple[int, ...], source: int, written: int | None, target: int) -> None:
        self.names = names
        self.source: int | None = source
        self.written = written
        self.target = _reopened(target)
        self.is_terminal = os.isatty(target)
        self._waiting = memoryview(b"")

    @property
    def is_held_up(self) -> bool:
        """Whether the consumer is slower than the command."""
        return bool(self._waiting)

    @property
    def wanted(self) -> int | None:
        """The descriptor that it waits for: to be written to where something waits, else to be read."""
        return self.target if self._waiting else self.source

    def serve(self, heard: list[tuple[int, bytes]]) -> int:
        """Write what waits, or read what there is and write it. Adds it to `heard`, and returns how much was read."""
        if self._waiting or self.source is None:
            self._flush()
            return 0
        try:
            data = os.read(self.source, CHUNK)
        except BlockingIOError:
            return 0
        except OSError as ended:
            if ended.errno != errno.EIO:
                raise
            data = b""
        if not data:
            self.end()
            return 0
        self._waiting = memoryview(data)
        self._flush()
        heard.append((self.names[0], data))
        return len(data)

    def _flush(self) -> None:
        """Write what waits, as far as the consumer takes it. If it has gone, the command is told as it would be."""
        try:
            while self._waiting:
                self._waiting = self._waiting[os.write(self.target, self._waiting) :]
        except BlockingIOError:
            return
        except OSError:
            self._waiting = memoryview(b"")
            self.end()

    def resize(self) -> bool:
        """Give the command's terminal the size of ours; whether it has one."""
        if self.is_terminal and self.source is not None:
            with suppress(OSError):
                termios.tcsetwinsize(self.source, termios.tcgetwinsize(self.target))
                return True
        return False

    def end(self) -> None:
        """Read no more."""
        if self.source is not None:
            os.close(self.source)
        self.source = None


def streams_for_command() -> tuple[list[Stream], list[str]]:
    """Streams that stand between the command and ours, as far as ours are open; and the files it writes to itself."""
    places: dict[tuple[int, int], list[int]] = {}
    files: dict[str, None] = {}
    for name in (OUTPUT, ERROR):
        with suppress(OSError):
            found = os.fstat(name)
            path = _readable_file(name) if stat.S_ISREG(found.st_mode) else ""
            if path:
                files[path] = None
            else:
                places.setdefault((found.st_dev, found.st_ino), []).append(name)
    return [_stream(tuple(names)) for names in places.values()], list(files)


def _readable_file(name: int) -> str:
    """The path of an open file, if it can be read there; empty otherwise."""
    try:
        path = Path(f"/proc/self/fd/{name}").readlink()
        return str(path) if os.access(path, os.R_OK) and path.samefile(f"/proc/self/fd/{name}") else ""
    except OSError:
        return ""


def _stream(names: tuple[int, ...]) -> Stream:
    target = names[0]
    source, written = os.openpty() if os.isatty(target) else os.pipe()
    os.set_blocking(source, False)
    stream = Stream(names, source, written, target)
    if stream.is_terminal:
        _make_alike(written, target)
        stream.resize()
    elif sys.platform == "linux":
        with suppress(OSError):
            fcntl.fcntl(source, F_SETPIPE_SZ, PIPE_SIZE)
    return stream


def _make_alike(terminal: int, ours: int) -> None:
    """The same settings, but that bytes pass as they are: our own terminal does what is to be done with them."""
    settings = termios.tcgetattr(ours)
    settings[1] &= ~termios.OPOST
    settings[3] &= ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSANOW, settings)


def _reopened(target: int) -> int:
    """The same pipe or terminal opened again, so that only our own writing does not wait; all else as it is."""
    kind = os.fstat(target).st_mode
    if sys.platform == "linux" and (stat.S_ISFIFO(kind) or stat.S_ISCHR(kind)):
        with suppress(OSError):
            return os.open(f"/proc/self/fd/{target}", os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
    return target
