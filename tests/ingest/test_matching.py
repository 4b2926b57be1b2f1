"""From a cell to a node: by code, by path, by spelling; and what a mapping file may say."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ingest.imports.studies.mapping import MAPPINGS, AxisMapping, MappingError, StudyMapping, read_mapping
from ingest.imports.studies.matching import NodeFinder, NodeRef, UnknownValueError, majority, split_path
from ingest.rejections import FileUnreadableError
from tests.ingest.small import MAPPING, Write, small_mapping

NODES = [
    NodeRef(1, "S1", "Crash", None),
    NodeRef(2, "S1.1", "CUDA Error", 1),
    NodeRef(3, "S1.1.1", "Out of Memory", 2),
    NodeRef(4, "S2", "Multi-GPU Hang", None),
]
PATH = {"axis": "symptom", "final": "x", "match": "path", "split": " - "}
CODE = {"axis": "symptom", "final": "x"}


def finder(**mapping: Any) -> NodeFinder:
    return NodeFinder(AxisMapping.model_validate(mapping), NODES)


@pytest.mark.parametrize(
    ("value", "separator", "path"),
    [
        ("Crash - CUDA Error - Out of Memory", " - ", ("Crash", "CUDA Error", "Out of Memory")),
        ("Crash  -   CUDA Error ", " - ", ("Crash", "CUDA Error")),
        ("Crash\N{NO-BREAK SPACE}- CUDA Error", " - ", ("Crash", "CUDA Error")),
        ("Multi-GPU Hang", " - ", ("Multi-GPU Hang",)),
        ("Crash-CUDA Error", "-", ("Crash", "CUDA Error")),
        ("Crash > CUDA Error", ">", ("Crash", "CUDA Error")),
        ("Crash\N{FULLWIDTH SOLIDUS}CUDA Error", "\N{FULLWIDTH SOLIDUS}", ("Crash", "CUDA Error")),
        ("Crash - ", " - ", ("Crash",)),
        ("Crash", None, ("Crash",)),
        (" ", " - ", ()),
    ],
)
def test_a_path_falls_apart_at_the_separator_only(value: str, separator: str | None, path: tuple[str, ...]) -> None:
    assert split_path(value, separator) == path


@given(st.lists(st.from_regex(r"[A-Za-z](?:[A-Za-z-]*[A-Za-z])?", fullmatch=True), min_size=1, max_size=4))
def test_a_written_path_is_read_back(names: list[str]) -> None:
    assert split_path(" - ".join(names), " - ") == tuple(names)


@given(st.text(), st.none() | st.text(min_size=1, max_size=3))
def test_no_text_makes_splitting_fail(value: str, separator: str | None) -> None:
    assert all(part == part.strip() and part for part in split_path(value, separator))


@pytest.mark.parametrize(
    ("mapping", "cell", "expected"),
    [
        (CODE, "S1.1", (2,)),
        (CODE, " s1.1 ", (2,)),
        (CODE, " ", ()),
        (CODE | {"many": ";"}, "S1; S2;S1;", (1, 4)),
        (CODE | {"extract": r"^(S\d)"}, "S1.1.1", (1,)),
        (CODE | {"values": {"1.0": "S1", "0.0": "S2"}}, "1.0", (1,)),
        (PATH, "Crash", (1,)),
        (PATH, "crash  -  CUDA error", (2,)),
        (PATH, "Crash - CUDA Error - Out of Memory", (3,)),
        (PATH, "Multi-GPU Hang", (4,)),
        (PATH | {"spellings": {"OOM": "Out of Memory"}}, "Crash - CUDA Error - oom", (3,)),
    ],
)
def test_a_cell_means_the_node_that_its_mapping_says(
    mapping: dict[str, Any], cell: str, expected: tuple[int, ...]
) -> None:
    assert finder(**mapping).find_cell(cell) == expected


@pytest.mark.parametrize(
    ("mapping", "cell", "reason"),
    [
        (CODE, "S9", "'S9' is not a node of the axis symptom"),
        (PATH, "CUDA Error", "'CUDA Error' is not a node"),
        (PATH, "Crash - CUDA Eror", "did you mean 'crash / cuda error'"),
        (CODE | {"extract": r"^(S\d)$"}, "X", "does not have the form"),
    ],
)
def test_any_other_cell_is_told_with_what_comes_near(mapping: dict[str, Any], cell: str, reason: str) -> None:
    with pytest.raises(UnknownValueError, match=reason):
        finder(**mapping).find_cell(cell)


def test_levels_may_be_blank_from_some_depth_on() -> None:
    levels = finder(axis="symptom", levels=["a", "b", "c"], match="path")
    assert levels.find_levels(("Crash", "CUDA Error", "")) == (2,)
    assert levels.find_levels(("Crash", " ", "")) == (1,)
    assert levels.find_levels(("", "", "")) == ()


@pytest.mark.parametrize(("votes", "winner"), [([1, 1, 2], 1), ([1, 2, 3], None), ([], None), ([2, 2], 2)])
def test_a_majority_is_a_node_with_enough_votes(votes: list[int], winner: int | None) -> None:
    assert majority(votes, needed=2) == winner


@pytest.mark.parametrize("name", sorted(path.stem for path in MAPPINGS.glob("*.yaml")))
def test_every_shipped_mapping_can_be_read(name: str) -> None:
    mapping = read_mapping(name)
    assert mapping.source.trust_note
    assert mapping.title is None or mapping.source.licence != "none stated"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"titel": "title"}, "titel: Extra inputs are not permitted"),
        ({"title": "title"}, "licence must permit it"),
        ({"axes": [CODE, CODE]}, "an axis is answered once"),
        ({"axes": [{"axis": "symptom"}]}, "exactly one of final, levels and majority"),
        ({"axes": [{"axis": "symptom", "majority": 1, "votes": ["a", "b"]}]}, "more than half"),
        ({"axes": [CODE | {"split": " - "}]}, "split goes with match: path"),
        ({"axes": [CODE | {"match": "path", "split": ""}]}, "at least 1 character"),
        ({"axes": [CODE | {"extract": "("}]}, "not a regular expression"),
        ({"axes": [CODE | {"extract": "x"}]}, "exactly one group"),
        ({"url": None}, "url: Input should be a valid string"),
    ],
)
def test_a_wrong_mapping_says_what_to_mend(change: dict[str, Any], reason: str, write: Write) -> None:
    path = write(yaml.safe_dump(MAPPING | change).encode(), "mapping.yaml")
    with pytest.raises(MappingError, match=reason):
        read_mapping(str(path))


def test_a_mapping_that_is_not_there_names_the_shipped_ones() -> None:
    with pytest.raises(MappingError, match="'dl-compiler-bugs', 'llm-challenges', 'open-llm-failures'"):
        read_mapping("nothing")


def test_a_mapping_that_is_no_yaml_is_refused(write: Write) -> None:
    with pytest.raises(MappingError, match="not readable as YAML"):
        read_mapping(str(write(b"a: [", "mapping.yaml")))


@pytest.mark.parametrize("change", [{"values": {"x": "S9"}}, {"match": "path", "spellings": {"x": "Nothing"}}])
def test_a_mapping_that_names_an_unknown_node_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(MappingError, match=r"S9|unknown 'nothing'"):
        finder(**CODE | change)


def test_a_missing_column_is_told_with_the_columns_found() -> None:
    mapping: StudyMapping = small_mapping()
    with pytest.raises(
        FileUnreadableError, match=r"needs 'v3', 'symptom'.* it has 'url', 'v1', 'v2', 'final', 'other'"
    ):
        mapping.refuse_missing(("url", "v1", "v2", "final", "other"))
