"""Public ids of records: each once, none given a second time. What they look like is in `kb.core.public_ids`."""

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from kb.core.public_ids import next_public_id
from kb.core.yaml_faults import Fault
from kb.core.yaml_files import Strict, Text, read_yaml
from kb.models import FormerId, Issue
from kb.starter.format import IssueUrl, PublicId, Record

WITHDRAWN = Path(__file__).parent / "withdrawn.yaml"
FIRST_LINE = re.compile(r"^id: (FB-\d{6})$", re.MULTILINE)


class WithdrawnRecord(Strict):
    """A record that is no more: its id is never given to another one."""

    id: PublicId
    url: IssueUrl
    on: dt.date
    why: Text


class Withdrawn(Strict):
    """The file of withdrawn records."""

    records: tuple[WithdrawnRecord, ...]


def read_withdrawn(path: Path = WITHDRAWN) -> dict[str, str]:
    """The addresses of withdrawn records by their ids. Raises as `read_yaml` and pydantic do."""
    return {record.id: record.url for record in Withdrawn.model_validate(read_yaml(path)).records}


def next_id(root: Path) -> str:
    """The id of the next record below `root`; empty where its records have none."""
    taken = [match[1] for path in root.rglob("*.yaml") if (match := FIRST_LINE.search(path.read_text("utf-8")))]
    return next_public_id([*taken, *read_withdrawn()]) if taken else ""


def wrong_ids(records: Iterable[tuple[Path, Record]], taken: Mapping[str, str]) -> Iterator[tuple[Path, Fault]]:
    """Both files of two records with one id, and a record with the id of another report.

    `taken`: by each id that is in use or withdrawn, the report's address.
    """
    first: dict[str, Path] = {}
    for path, record in records:
        if record.id is None:
            continue
        other = first.setdefault(record.id, path)
        if other != path:
            for file, twin in ((path, other), (other, path)):
                yield file, Fault(("id",), f"is the id of {twin}, too: keep that of the older record")
        elif taken.get(record.id, record.url) != record.url:
            yield path, Fault(("id",), f"was given to {taken[record.id]}: take the next free one")


def ids_of_others(places: Mapping[str, tuple[int, str]]) -> dict[str, str]:
    """By each of these ids that another report has or had, that report's address.

    `places`: by each id its record's repository and number, which stay when the repository is renamed.
    """
    taken = dict(read_withdrawn())
    present = Issue.objects.filter(public_id__in=places).values_list("public_id", "url", "repository", "ref")
    former = FormerId.objects.filter(public_id__in=places)
    for public_id, url, *place in (
        *present,
        *former.values_list("public_id", "url", "issue__repository", "issue__ref"),
    ):
        if tuple(place) != places[public_id]:
            taken[public_id] = url
    return taken


def missing_ids(records: list[tuple[Path, Record]]) -> Iterator[tuple[Path, Fault]]:
    """Records without an id among records that have one."""
    if any(record.id for _, record in records):
        following = next_public_id([*(record.id or "" for _, record in records), *read_withdrawn()])
        for path, record in records:
            if record.id is None:
                yield path, Fault((), f"has no id: begin it with `id: {following}`")
