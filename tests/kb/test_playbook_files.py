"""The playbooks' files: every fix pattern with an example that can be read, fits beside itself and shows a change."""

import ast
from pathlib import Path
from shutil import copytree
from typing import Any

import pydantic
import pytest
import yaml

from kb.codebook.load import HERE, Codebook, CodebookInvalidError, load_codebook, read_codebook
from kb.codebook.playbooks import MOST_CHARACTERS, MOST_LINES, ExampleFile, fault_of
from kb.models import ExampleLanguage, Playbook

EXAMPLE = {"note": "Shows it.", "language": "python", "before": "wait()", "after": "wait(60)"}
CODES = [
    code
    for path in sorted((HERE / "playbooks").glob("*.yaml"))
    for code in yaml.safe_load(path.read_text())["playbooks"]
]


@pytest.fixture(scope="module")
def files() -> Codebook:
    return read_codebook()


@pytest.mark.parametrize("code", CODES)
class TestEveryExample:
    def test_has_two_sides_that_differ_and_fit(self, files: Codebook, code: str) -> None:
        example = files.playbooks[code].example
        assert example.before != example.after
        for side in (example.before, example.after):
            lines = side.splitlines()
            assert 3 <= len(lines) <= MOST_LINES == 14
            assert max(map(len, lines)) <= MOST_CHARACTERS == 88
            assert "\t" not in side

    def test_changes_little(self, files: Codebook, code: str) -> None:
        example = files.playbooks[code].example
        kept = set(example.before.splitlines()) & set(example.after.splitlines())
        assert kept, "nothing is left to compare with"

    def test_can_be_read_in_its_language(self, files: Codebook, code: str) -> None:
        example = files.playbooks[code].example
        for side in (example.before, example.after):
            assert fault_of(side, example.language) == ""

    def test_says_what_it_shows_in_one_to_three_sentences(self, files: Codebook, code: str) -> None:
        note = files.playbooks[code].example.note
        assert note.endswith(".")
        assert 40 <= len(note) <= 220


def test_every_language_has_a_name() -> None:
    assert set(ExampleLanguage.values) == set(ExampleFile.model_fields["language"].annotation.__args__)  # type: ignore[union-attr]


def test_some_are_python_that_a_parser_reads(files: Codebook) -> None:
    parsed = [ast.parse(book.example.after) for book in files.playbooks.values() if book.example.language == "python"]
    assert len(parsed) >= 25
    assert all(tree.body for tree in parsed)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"after": "wait()"}, "the same"),
        ({"after": "wait("}, "after is no python"),
        ({"language": "json"}, "before is no json"),
        ({"language": "yaml", "before": "a: [1"}, "before is no yaml"),
        ({"language": "cobol"}, "language"),
        ({"before": "x = 1\n" * 15}, "has 15 lines; 14 at most"),
        ({"after": f"x = '{'y' * 90}'"}, "88 at most"),
        ({"before": "\n \n"}, "write some code"),
        ({"note": " "}, "note"),
    ],
)
def test_a_mistake_in_an_example_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(pydantic.ValidationError, match=message):
        ExampleFile.model_validate(EXAMPLE | change)


def test_what_surrounds_the_code_goes() -> None:
    example = ExampleFile.model_validate(EXAMPLE | {"before": "\nif x:\n    wait()   \n\n"})
    assert example.before == "if x:\n    wait()"


class TestMisplaced:
    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        copytree(HERE / "playbooks", tmp_path / "playbooks")
        (tmp_path / "house.yaml").write_text((HERE / "house.yaml").read_text())
        return tmp_path

    def test_a_playbook_of_no_pattern_and_a_second_one_are_mistakes_both_told(self, root: Path) -> None:
        book = yaml.safe_load((root / "playbooks/revert.yaml").read_text())["playbooks"]["revert"]
        (root / "playbooks/zz.yaml").write_text(yaml.safe_dump({"playbooks": {"revert": book, "pray": book}}))
        with pytest.raises(CodebookInvalidError) as caught:
            read_codebook(root)
        assert sorted(caught.value.problems) == [
            "zz.yaml: pray is not a fix pattern of the house codebook",
            "zz.yaml: revert has a playbook in revert.yaml already",
        ]

    @pytest.mark.parametrize(
        ("old", "new", "sentence"),
        [
            (
                "language: python",
                "language: cobol",
                r"revert.example.language is not one of: python, .*; it is 'cobol'",
            ),
            ("    steps:", "    step:", "revert has an unknown key 'step'; did you mean 'steps'"),
            (
                "    caveats:",
                "    caveats: []\n    q:",
                r"revert has an unknown key 'q'; the keys here are applies_when, ",
            ),
            (
                "      language:",
                "      languages:",
                "revert.example has an unknown key 'languages'; did you mean 'lang",
            ),
        ],
    )
    def test_a_mistake_is_told_with_file_line_and_place(self, root: Path, old: str, new: str, sentence: str) -> None:
        path = root / "playbooks/revert.yaml"
        path.write_text(path.read_text().replace(old, new))
        with pytest.raises(CodebookInvalidError, match=rf"revert\.yaml:\d+: playbooks\.{sentence}"):
            read_codebook(root)

    def test_a_file_that_is_no_yaml_is_told_with_its_line(self, root: Path) -> None:
        path = root / "playbooks/revert.yaml"
        path.write_text(path.read_text().replace("    steps:", "\tsteps:"))
        with pytest.raises(
            CodebookInvalidError, match=r"revert\.yaml:\d+: not readable as YAML: .*\(indent with blanks"
        ):
            read_codebook(root)


@pytest.mark.django_db
def test_both_sides_are_loaded_as_they_stand_in_the_file(files: Codebook) -> None:
    load_codebook()
    rows = {row.node.code: row for row in Playbook.objects.select_related("node")}
    assert len(rows) == len(files.playbooks) == len(CODES)
    for code, book in files.playbooks.items():
        row = rows[code]
        assert (row.before, row.after) == (book.example.before, book.example.after)
        assert (row.example_note, row.example_language) == (book.example.note, book.example.language)
