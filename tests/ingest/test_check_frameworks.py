"""Mistakes in the list of frameworks: each is told in plain words with its line."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from ingest.scope.frameworks_check import check_frameworks

SOUND = """\
frameworks:
  - slug: acme
    name: Acme
    packages: [acme, acme_core]
    mirror: {list: inference, every_minutes: 60, keywords: pytorch}
    repositories:
      - {name: acme/rocket, aliases: [wile/rocket]}
  - slug: bird
    name: Bird
    repositories:
      - {name: bird/run}
"""


def told(folder: Path, old: str = "", new: str = "") -> list[str]:
    """What the check says of the sound list with this change: `LINE: SENTENCE`."""
    path = folder / "frameworks.yaml"
    path.write_text(SOUND.replace(old, new) if old else SOUND, encoding="utf-8")
    return [str(rejection).removeprefix(f"{path}:") for rejection in check_frameworks(path)[1]]


def test_the_list_that_ships_is_sound() -> None:
    assert check_frameworks()[1] == []


def test_a_new_entry_is_enough(tmp_path: Path) -> None:
    assert told(tmp_path) == []


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("slug: bird", "slug: acme", "8: slug acme stands in the entry of acme already: leave it out"),
        ("name: Bird", "name: Bird\n    packages: [acme_core]", "10: package acme_core stands in the entry of acme"),
        ("bird/run", "Wile/Rocket", "11: repository github.com/wile/rocket stands in the entry of acme already"),
        ("bird/run", "https://github.com/bird/run", "11: frameworks.repositories.name: write OWNER/NAME as its host"),
        ("[wile/rocket]", "[rocket]", "7: entry 1 of frameworks.repositories.aliases: write OWNER/NAME"),
        ("[acme, acme_core]", "acme", "4: frameworks.packages must be a list"),
        ("packages:", "package:", "4: entry 1 of frameworks has an unknown key 'package'; did you mean 'packages'?"),
        ("    repositories:\n      - {name: bird/run}\n", "", "8: frameworks.repositories is missing"),
        (
            "list: inference",
            "list: inferrence",
            "5: acme: list 'inferrence' is not in ingest/scope/repository_lists.py",
        ),
        ("keywords: pytorch", "keywords: rocket", "5: acme: keywords 'rocket' is not in ingest/scope/keywords.yaml"),
        ("every_minutes: 60", "every_minutes: 0", "5: frameworks.mirror.every_minutes must be 1 or more"),
        ("slug: bird", "slug: Bird", "8: frameworks.slug has a character that may not stand there: 'Bird'"),
        ("    name: Bird", "   name: Bird", "9: not readable as YAML"),
        ("name: Bird", "name: 2024-02-30", "9: not readable as YAML: '2024-02-30' is no date"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    assert old in SOUND
    assert [message[: len(sentence)] for message in told(tmp_path, old, new)] == [sentence]


def test_the_command_says_all_at_once_in_the_files_order(tmp_path: Path) -> None:
    told(tmp_path, "name:", "nam:")
    with pytest.raises(CommandError, match=r"(?s):2: .* is missing.*:3: .* unknown key 'nam'.*:9: .*'nam'"):
        call_command("check_frameworks", file=tmp_path / "frameworks.yaml")
