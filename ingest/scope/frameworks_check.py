"""What is wrong in `kb/core/frameworks.yaml`: each entry's form, names used twice, unknown lists.

It stands here because an entry also names a list of keywords. Needs no database.
"""

from collections.abc import Iterator
from pathlib import Path

import pydantic
import yaml

from ingest.scope.keywords import shipped_lists
from ingest.scope.repository_lists import LISTS
from kb.core.frameworks import FRAMEWORKS, FrameworkFile, ListedFrameworks, used_twice
from kb.core.yaml_faults import Fault, Place, Rejection, line_of, problems_of, suggestion
from kb.core.yaml_files import read_yaml


def check_frameworks(path: Path = FRAMEWORKS) -> tuple[int, list[Rejection]]:
    """How many frameworks the file has, and its errors in its order."""
    try:
        listed = ListedFrameworks.model_validate(read_yaml(path))
    except (pydantic.ValidationError, yaml.YAMLError, UnicodeDecodeError, OSError) as error:
        return 0, [Rejection(path, *problem) for problem in sorted(problems_of(error, path, ListedFrameworks))]
    rejections = []
    for number, framework in enumerate(listed.frameworks):
        for place, reason in _unknown_names(framework):
            line = line_of(path, ("frameworks", number, *place))
            rejections.append(Rejection(path, line, f"{framework.slug}: {reason}"))
    for place, reason in used_twice(listed):
        rejections.append(Rejection(path, line_of(path, place), reason))
    return len(listed.frameworks), sorted(rejections, key=lambda rejection: rejection.line)


def _unknown_names(framework: FrameworkFile) -> Iterator[Fault]:
    """What an entry names that stands elsewhere, and is not there."""
    named: list[tuple[Place, str | None, tuple[str, ...], str]] = []
    if framework.mirror:
        where = "ingest/scope/repository_lists.py (`LISTS`)"
        named.append((("mirror", "list"), framework.mirror.list, LISTS, where))
        where = "ingest/scope/keywords.yaml"
        named.append((("mirror", "keywords"), framework.mirror.keywords, tuple(shipped_lists()), where))
    for place, name, known, where in named:
        if name is not None and name not in known:
            yield Fault(place, f"{place[-1]} '{name}' is not in {where}{suggestion(name, known)}")
