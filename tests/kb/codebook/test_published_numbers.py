"""Every published number in the studies' files stands in what was read of the study, or is counted from its data.

What the files mean otherwise is tested in `tests.kb.test_codebook` and `tests.kb.test_published_tables`; where the
numbers that were read lie is `tests.kb.codebook.readings`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from kb.codebook.load import HERE
from tests.kb.codebook.readings import FACTS, known_numbers, numbers_in

STUDIES = HERE / "studies"
FILES = sorted(STUDIES.rglob("*.yaml"))
# The keys of a table under which published numbers stand.
TABLE_NUMBERS = {"total", "sums", "average", "cells", "sum", "count", "percent"}
CLAIM_NUMBERS = ("percent", "n", "cases", "ratio", "number")

pytestmark = [
    pytest.mark.real_data,
    pytest.mark.skipif(not FACTS.exists(), reason="../shared/facts is not here"),
]


@dataclass(frozen=True)
class Printed:
    """A number of a file; `computed` is what it is by other numbers of the same statement, if they tell."""

    where: str
    value: float
    computed: float | None = None


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(STUDIES)))
def test_every_published_number_was_read(path: Path) -> None:
    file = yaml.safe_load(path.read_text())
    assert not list(unread(printed(file), slug_of(file)))


@pytest.mark.parametrize("wrong", [49, 309])
def test_a_number_that_nobody_printed_is_found(wrong: float) -> None:
    claim = {"slug": "small-fixes", "published": {"percent": wrong, "n": 308}}
    file = {"study": "p1-distributed-frameworks", "claims": [claim]}
    assert list(unread(printed(file), slug_of(file))) == [f"small-fixes percent: {wrong}"]


def test_a_percentage_of_counts_that_were_read_may_be_computed() -> None:
    claim = {"slug": "deepspeed", "published": {"percent": 54.5, "n": 308, "cases": 168}}
    file = {"study": "p1-distributed-frameworks", "claims": [claim]}
    assert not list(unread(printed(file), slug_of(file)))


def unread(found: Iterable[Printed], study: str) -> set[str]:
    """What stands nowhere in what was read of the study."""
    known = known_numbers(study)
    missing = set()
    for number in found:
        is_computed = number.computed is not None and rounds_to(number.computed, number.value)
        if not is_computed and number.value not in known:
            missing.add(f"{number.where}: {number.value:g}")
    return missing


def rounds_to(computed: float, value: float) -> bool:
    """Whether a number is another one to the digits that it has."""
    digits = len(f"{value:g}".partition(".")[2])
    half: float = 0.5 / 10**digits
    return abs(computed - value) <= half + 1e-9


def slug_of(file: Mapping[str, Any]) -> str:
    """The study of a file of any kind."""
    slug: str = file.get("study") or file["slug"]
    return slug


def printed(file: Mapping[str, Any]) -> Iterator[Printed]:
    """The published numbers of a study's file, of its tables or of its claims."""
    for claim in file.get("claims", ()):
        yield from of_claim(claim)
    for table in file.get("tables", ()):
        for key, number in below(table, ""):
            yield Printed(f"table {table['slug']}{key}", number)
    if "axes" in file:
        yield from of_study(file)


def of_claim(claim: Mapping[str, Any]) -> Iterator[Printed]:
    """The numbers that a claim says were published."""
    published = claim.get("published") or {}
    computed = None
    if published.get("cases") is not None and published.get("n"):
        computed = 100 * published["cases"] / published["n"]
    for key in CLAIM_NUMBERS:
        if key in published:
            where = f"{claim['slug']} {key}"
            yield Printed(where, float(published[key]), computed if key == "percent" else None)


def of_study(file: Mapping[str, Any]) -> Iterator[Printed]:
    """The sample, the facts' values, and the categories' counts and percentages."""
    if file.get("sample_total") is not None:
        yield Printed("sample_total", file["sample_total"])
    for name, count in file.get("sample", {}).items():
        yield Printed(f"sample {name}", count)
    for fact in file.get("facts", ()):
        for number in sorted(numbers_in(fact["value"])):
            yield Printed(f"fact {fact['name']}", number)
    for axis in file["axes"]:
        yield from of_nodes(axis["nodes"])


def of_nodes(nodes: Iterable[Mapping[str, Any]]) -> Iterator[Printed]:
    """The counts and percentages of categories on every level."""
    for node in nodes:
        for key in ("count", "percent"):
            if node.get(key) is not None:
                yield Printed(f"{node['code']} {key}", node[key])
        yield from of_nodes(node.get("children", ()))


def below(value: object, key: str) -> Iterator[tuple[str, float]]:
    """The numbers under a table's keys for numbers, with the way to each."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from below(inner, f"{key} {name}")
    elif isinstance(value, list):
        for inner in value:
            yield from below(inner, key)
    elif isinstance(value, int | float) and not isinstance(value, bool) and key.split()[-1] in TABLE_NUMBERS:
        yield key, float(value)
