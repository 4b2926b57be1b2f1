"""With a second process that cuts the text, a pass keeps the same as without it, whatever becomes of that process."""

import time
from collections.abc import Iterator

import psutil
import pytest

from kb.core.diagnosis.scanning import read_ahead as module
from kb.core.diagnosis.scanning.lines import Lines
from kb.core.diagnosis.scanning.read_ahead import Ahead, Opened
from kb.core.diagnosis.scanning.records import Scan
from kb.core.diagnosis.scanning.scanner import Scanner
from tests.kb.core.diagnosis.generators import KINDS, Spec, generate
from tests.kb.core.diagnosis.generators.spec import styles_of
from tests.kb.core.diagnosis.scans import facts

LINES = 4
PATIENCE = 20.0


def events(kind: str) -> list[Opened | str]:
    """A run's files in small blocks."""
    found: list[Opened | str] = []
    for name, data in generate(Spec(kind, styles_of(kind)[0])).files.items():
        found.append(Opened(name))
        lines = data.decode().removesuffix("\n").split("\n")
        found += ["\n".join(lines[at : at + LINES]) for at in range(0, len(lines), LINES)]
    return found


def scan(cut: Iterator[Opened | Lines]) -> Scan:
    """The pass over them."""
    scanner = Scanner()
    for one in cut:
        if isinstance(one, Opened):
            scanner.open(one.name)
        else:
            scanner.block(one)
    return scanner.done()


def preparers() -> list[psutil.Process]:
    """The second processes that there are."""
    return [
        child for child in psutil.Process().children() if "kb.core.diagnosis.scanning.block_process" in child.cmdline()
    ]


def helped(ahead: Ahead, given: list[Opened | str]) -> Iterator[Opened | str]:
    """The events; before the third block, the second process is waited for."""
    blocks = 0
    for event in given:
        blocks += isinstance(event, str)
        until = time.monotonic() + PATIENCE
        while blocks == 3 and not ahead.is_helped:
            assert time.monotonic() < until
            time.sleep(0.01)
        yield event


@pytest.mark.parametrize("kind", KINDS[::4])
def test_two_processes_keep_what_one_keeps(kind: str) -> None:
    given = events(kind)
    with Ahead(1) as alone, Ahead(2, worth=2) as two:
        assert facts(scan(two.cut(helped(two, given)))) == facts(scan(alone.cut(given)))
        assert two.is_helped


def test_keys_may_be_forgotten_at_any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    given = events(KINDS[0])
    # Here alone: the other process forgets later, and nothing may come of that.
    monkeypatch.setattr("kb.core.diagnosis.scanning.keys.MOST_KEYS", 20)
    with Ahead(1) as alone, Ahead(2, worth=2) as two:
        assert facts(scan(two.cut(helped(two, given)))) == facts(scan(alone.cut(given)))


def test_without_its_second_process_a_pass_goes_on_alone() -> None:
    given = events(KINDS[0])

    def killed(ahead: Ahead) -> Iterator[Opened | str]:
        for number, event in enumerate(helped(ahead, given)):
            if number == len(given) // 2:
                for child in preparers():
                    child.kill()
            yield event

    with Ahead(1) as alone, Ahead(2, worth=2) as two:
        assert facts(scan(two.cut(killed(two)))) == facts(scan(alone.cut(given)))
        assert not two.is_helped


def test_a_block_whose_lines_do_not_fit_is_cut_here(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Opened | str] = [Opened("a.log"), "first", "second", "1 " * 1_000_000, "\n" * 1_500_000, "last 7"]
    with Ahead(1) as alone, Ahead(2, worth=1) as two:
        assert facts(scan(two.cut(helped(two, given)))) == facts(scan(alone.cut(given)))
        assert two.is_helped


def test_small_logs_are_read_by_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_Child", None)
    with Ahead(2) as two:
        assert scan(two.cut([Opened("a.log"), *["a line"] * (module.WORTH - 1)])).lines == [module.WORTH - 1]


def test_no_process_is_left_behind() -> None:
    with Ahead(2, worth=1) as two:
        scan(two.cut(helped(two, events(KINDS[0]))))
        assert len(preparers()) == 1
    assert not preparers()
