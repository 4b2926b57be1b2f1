"""What others published of their own measurements (`published.yaml`), to stand beside ours. Their data are others."""

from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from kb.core.quality.figures import Share
from kb.core.yaml_files import Strict, Text, read_yaml

FILE = Path(__file__).with_name("published.yaml")
About = Literal["lines", "nodes", "levels"]


class Row(Strict):
    """What one method reached, by the names that our figures have."""

    by: Text
    about: About
    figures: dict[Text, Share]


class Published(Strict):
    """Figures of one study. `data`: what they are of; `n`: of how many jobs, by what they are about."""

    study: Text
    place: Text
    data: Text
    n: dict[About, int]
    rows: tuple[Row, ...]


@cache
def published() -> tuple[Published, ...]:
    """All of them. Raises `OSError` or `pydantic.ValidationError`."""
    return TypeAdapter(tuple[Published, ...]).validate_python(tuple(read_yaml(FILE)))


def rows_about(about: About) -> list[tuple[Published, Row]]:
    """The rows of one kind, each with where it stands."""
    return [(one, row) for one in published() for row in one.rows if row.about == about]
