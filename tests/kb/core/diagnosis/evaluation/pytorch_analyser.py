"""Run alone: which ranks PyTorch's analyser of Flight Recorder dumps finds missing in each job, as JSON.

Knows nothing of Faultbook. The analyser's parents import all of PyTorch, which is not here, and are stepped over. It
would unpickle anything; here dumps are read by an unpickler that builds plain data alone.
"""

import json
import logging
import pickle
import re
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

PARENTS = ("torch", "torch.distributed")
BUILDER = "torch.distributed.flight_recorder.components.builder"
RANK = re.compile(r"(\d+)$")
# As it runs by itself.
DEFAULTS = Namespace(verbose=False, just_print_entries=False, allow_incomplete_ranks=False, mismatch_cap=10)


class Plain(pickle.Unpickler):
    """Reads numbers, texts, lists and the like."""

    def find_class(self, module_name: str, global_name: str) -> Any:
        """Raises `UnpicklingError`."""
        raise pickle.UnpicklingError(f"{module_name}.{global_name} is no plain data")


def builder(folder: Path) -> Any:
    """The module that matches the dumps."""
    for name in PARENTS:
        parent = ModuleType(name)
        parent.__path__ = [str(folder.joinpath(*name.split(".")))]
        sys.modules[name] = parent
    return import_module(BUILDER)


def dump_of(path: Path) -> dict[str, Any]:
    """A rank's dump, as the analyser's own loader gives it."""
    with path.open("rb") as file:
        dump = Plain(file).load()
    found = RANK.search(path.name)
    rank = int(found[1]) if found else 0
    wanted = {name: dump[name] for name in ("entries", "version", "pg_config")}
    return {"host_name": f"host_rank{rank}", "rank": rank, **wanted}


def missing_ranks(analyser: Any, job: Mapping[str, Any], root: Path) -> list[str]:
    """The ranks that it misses in a collective, in its order."""
    details = {name: dump_of(root / name) for name in job["files"]}
    version = str(next(iter(details.values()))["version"])
    database = analyser.build_db(details, DEFAULTS, version)
    missing = [sorted(one.missing_ranks) for one in database.collectives if one.missing_ranks]
    return list(dict.fromkeys(str(rank) for ranks in missing for rank in ranks))


def main(folder: str, root: str, jobs: str) -> None:
    """Answer every job of the file."""
    analyser = builder(Path(folder))
    asked: Sequence[Mapping[str, Any]] = json.loads(Path(jobs).read_text())
    # It logs every collective.
    logging.disable(logging.CRITICAL)
    answers = {job["id"]: missing_ranks(analyser, job, Path(root)) for job in asked}
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
