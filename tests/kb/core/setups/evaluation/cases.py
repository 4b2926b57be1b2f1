"""The judged set-ups: the files of `judged/`, or a folder with `expected.json` and `cases/`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import Field

from kb.core.check.texts import NamedText, texts_at
from kb.core.yaml_files import Strict, Text, read_yaml

JUDGED = Path(__file__).parent.parent / "judged"
Expected = Literal["affects", "may", "not"]


class Case(Strict):
    """A set-up, and what is to be said of one fault. Without a record, only what else is listed counts."""

    name: Text
    report: str
    record: str = ""
    expect: Expected
    accept: tuple[Expected, ...] = ()
    texts: dict[str, str] = Field(min_length=1)
    held_out: bool = False
    # Nothing at all should be said to affect it.
    is_sound: bool = False

    @property
    def named_texts(self) -> list[NamedText]:
        """As the check takes them."""
        return list(self.texts.items())

    @property
    def accepted(self) -> tuple[Expected, ...]:
        """The answers that can be defended."""
        return self.accept or (self.expect,)


def read_cases(folder: Path = JUDGED) -> list[Case]:
    """All of a folder."""
    return list(_published(folder) if (folder / "expected.json").exists() else _own(folder))


def _own(folder: Path) -> Iterator[Case]:
    for path in sorted(folder.glob("*.yaml")):
        yield Case.model_validate({"name": path.stem, **read_yaml(path)})


def _published(folder: Path) -> Iterator[Case]:
    for name, judged in json.loads((folder / "expected.json").read_text("utf-8")).items():
        record = judged.get("record")
        yield Case(
            name=name,
            report=record or name,
            record=f"https://github.com/{record.replace('#', '/issues/')}" if record else "",
            expect=judged["expect"],
            accept=tuple(judged.get("accept", ())),
            is_sound=not record,
            texts=dict(texts_at([folder / "cases" / name])),
        )
