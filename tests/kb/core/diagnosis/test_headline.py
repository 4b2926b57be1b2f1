"""The verdict in a few words: a signal's, or the failing line's own."""

import pytest

from kb.core.diagnosis.headline import LONGEST, headline
from kb.core.diagnosis.pipeline import as_data
from tests.kb.core.diagnosis.lines import diagnosis_of


@pytest.mark.parametrize(
    ("log", "words"),
    [
        ("[rank0]: RuntimeError: the widget store has no shelf 7", "RuntimeError: the widget store has no shelf 7"),
        ("09:14:02 ERROR ValueError: shelf 7 is not of it", "ValueError: shelf 7 is not of it"),
    ],
    ids=["no signal knows it", "a signal knows no more than the exception's name"],
)  # fmt: skip
def test_what_no_signal_explains_is_told_in_the_tools_own_words(log: str, words: str) -> None:
    assert headline(as_data(diagnosis_of(f"iteration 1 loss 2.0\niteration 2 loss 1.9\n{log}\n"))).words == words


def test_a_known_line_is_told_by_its_signals_first_sentence() -> None:
    told = headline(
        as_data(diagnosis_of("node02 kernel: NVRM: Xid (PCI:0000:44:00): 79, pid=67, GPU has fallen off the bus."))
    )
    assert told.words
    assert not told.words.endswith(".")
    assert ". " not in told.words


def test_a_very_long_line_is_cut() -> None:
    assert len(headline(as_data(diagnosis_of("RuntimeError: " + "shelf " * 200))).words) == LONGEST
