"""The format of a file of published tables, and its checks. Pure; `published` converts it to rows.

A table has its numbers in the file, or takes them from the categories of its study's file.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from kb.codebook.format import Code, StudyFile, StudyNodeFile, Trust, refuse_duplicates, walk
from kb.core.frameworks import read_frameworks
from kb.core.yaml_files import Strict, Text, read_yaml

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+$", max_length=60)]
FRAMEWORK = "framework"
YEAR = "year"
YEAR_KEY = re.compile(r"(19|20)\d\d")


class LineFile(Strict):
    """One line: cells in the order of `keys` with their sum, or the one number of a table with one column."""

    cells: tuple[int, ...] = ()
    sum: int | None = Field(default=None, ge=0)
    count: int | None = Field(default=None, ge=0)
    percent: float | None = Field(default=None, ge=0, le=100)
    doubtful: bool = False

    @model_validator(mode="after")
    def says_something(self) -> "LineFile":
        """A line has at least one number."""
        if not self.cells and self.count is None and self.percent is None:
            raise ValueError("a line needs cells, a count or a percent")
        return self


class TableFile(Strict):
    """A table as it was published."""

    slug: Slug
    title: Text
    place: Text
    unit: Literal["reports", "records", "instances", "phrases"]
    trust: Trust
    rows: Code | Annotated[str, StringConstraints(pattern=r"^[a-z_]+$")]
    columns: Annotated[str, StringConstraints(pattern=r"^[a-z_]+$")] | None = None
    keys: tuple[Code, ...] = Field(default=(), description="The columns' keys in their order.")
    part_of: Text | None = None
    total: int | None = Field(default=None, ge=1)
    total_is_doubtful: bool = False
    average: float | None = Field(default=None, ge=0, le=100, description="Of the percentages, as printed.")
    percent_digits: int = Field(default=0, ge=0, le=3)
    recounted: bool = False
    not_recounted: Text | None = Field(default=None, description="Why it cannot be counted again.")
    misprints: tuple[Text, ...] = ()
    note: Text | None = None
    from_codebook: bool = Field(default=False, description="Take the numbers of the study's categories.")
    doubtful: tuple[Code, ...] = ()
    sums: tuple[int, ...] = Field(default=(), description="Of the columns.")
    lines: dict[Code, LineFile] = Field(default_factory=dict)
    rest: LineFile | None = Field(default=None, description="All that has no line of its own, taken together.")

    @model_validator(mode="after")
    def whole(self) -> "TableFile":
        """Every line has a cell for every column, and a table that cannot be recounted has a reason."""
        if self.recounted == (self.not_recounted is not None):
            raise ValueError(f"{self.slug}: give either recounted or a reason in not_recounted")
        if self.from_codebook == bool(self.lines):
            raise ValueError(f"{self.slug}: give either lines or from_codebook")
        if self.average is not None and self.total is not None:
            raise ValueError(f"{self.slug}: give either a total or an average")
        if bool(self.columns) != bool(self.keys):
            raise ValueError(f"{self.slug}: columns and keys go together")
        wrong = [code for code, line in self.lines.items() if len(line.cells) != len(self.keys)]
        if wrong or (self.sums and len(self.sums) != len(self.keys)):
            raise ValueError(f"{self.slug}: another number of cells than of columns: {', '.join(wrong) or 'sums'}")
        # Counting again knows categories; what has none cannot be counted.
        if self.rest is not None and (self.keys or self.recounted):
            raise ValueError(f"{self.slug}: a rest stands only in a table of one column that is not counted again")
        return self


class TablesFile(Strict):
    """`studies/tables/*.yaml`: what one study published."""

    study: Slug
    tables: tuple[TableFile, ...] = Field(min_length=1)


def read_tables(path: Path) -> TablesFile:
    """Read and check one file. Raises `pydantic.ValidationError` or `ValueError`."""
    file = TablesFile.model_validate(read_yaml(path))
    refuse_duplicates([table.slug for table in file.tables], where=file.study)
    return file


def misplaced_tables(files: Sequence[TablesFile], studies: Sequence[StudyFile]) -> list[str]:
    """One sentence for each table or key that belongs to no study, category or framework."""
    by_slug = {study.slug: study for study in studies}
    files_by_study = Counter(file.study for file in files)
    problems = [
        f"tables of {slug}: in more than one file" for slug, count in sorted(files_by_study.items()) if count > 1
    ]
    for file in files:
        if file.study not in by_slug:
            problems.append(f"tables of {file.study}: there is no such study")
            continue
        for table in file.tables:
            problems += _misplaced_keys(table, by_slug[file.study])
    return problems


def _misplaced_keys(table: TableFile, study: StudyFile) -> Iterator[str]:
    for by, keys in ((table.rows, (*table.lines, *table.doubtful)), (table.columns, table.keys)):
        if by is None:
            continue
        if by == FRAMEWORK:
            known = {framework.slug for framework in read_frameworks().frameworks}
        elif by == YEAR:
            known = {key for key in keys if YEAR_KEY.fullmatch(key)}
        else:
            known = {node.code for node in nodes_of(by, study)}
        for key in keys:
            if key not in known:
                yield f"{study.slug}, table {table.slug}: {key} is no {by}"
        if not known:
            yield f"{study.slug}, table {table.slug}: there is no axis {by}"


def nodes_of(axis: str, study: StudyFile) -> list[StudyNodeFile]:
    """The categories of an axis, parents first."""
    nodes: list[StudyNodeFile] = []
    for file in study.axes:
        if file.code == axis:
            nodes += [node for node, _ in walk(file.nodes)]
    return nodes
