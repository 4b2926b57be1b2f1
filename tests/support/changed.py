"""Which tests say most, and soonest, of what was changed: those beside it and those that import it. For `make check`.

`python -m tests.support.changed [BASE]` prints them; BASE is the commit to compare with, by default where this branch
left main. Browser tests and benchmarks are never among them: `make test` runs everything.
"""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

PACKAGES = ("kb", "labeling", "ingest", "config")
SLOW = ("tests/e2e", "tests/perf", "tests/drills")
# What is no module, and the tests that read it.
READERS = {
    "docs/": "tests/docs",
    "README.md": "tests/docs",
    "CONTRIBUTING.md": "tests/docs",
    "client/": "tests/client",
    "kb/starter/records/": "tests/kb/test_starter.py",
    "kb/codebook/": "tests/kb/test_codebook.py",
    "kb/core/diagnosis/signals/families/": "tests/kb/core/diagnosis/test_signals.py",
    "static/css/": "tests/test_styles.py",
}


def main() -> None:
    """Print the tests for pytest, one a line."""
    base = sys.argv[1] if len(sys.argv) > 1 else git("merge-base", "HEAD", "main")[0]
    changed = [*git("diff", "--name-only", base), *git("ls-files", "--others", "--exclude-standard")]
    print("\n".join(related_tests(changed)))  # noqa: T201


def git(*arguments: str) -> list[str]:
    """The lines that git prints."""
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout.split()


def related_tests(changed: Iterable[str]) -> list[str]:
    """Test files and folders for these files, each once, none of the slow ones."""
    sources = {path: path.read_text(encoding="utf-8") for path in Path("tests").rglob("test_*.py")}
    found: set[str] = set()
    for name in changed:
        path = Path(name)
        found.update(tests for start, tests in READERS.items() if name.startswith(start))
        if path.parts[0] == "tests" and path.name.startswith("test_") and path.exists():
            found.add(name)
        elif path.suffix == ".py" and path.parts[0] in PACKAGES:
            found.update(_beside(path))
            module = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
            package, _, last = module.rpartition(".")
            imports = (f"from {module} import", f"import {module}", f"from {package} import {last}")
            found.update(str(test) for test, text in sources.items() if any(line in text for line in imports))
    return sorted(name for name in found if not name.startswith(SLOW))


def _beside(path: Path) -> list[str]:
    """The tests of the same name in the same room, or else those of the nearest room."""
    room = Path("tests", *path.parent.parts)
    same = sorted(room.glob(f"test_{path.stem}*.py"))
    if same:
        return [str(test) for test in same]
    # The tests of a whole package are too many for a quick look.
    rooms = [folder for folder in (room, *room.parents) if len(folder.parts) > 2 and folder.is_dir()]
    return [str(folder) for folder in rooms[:1]]


if __name__ == "__main__":
    main()
