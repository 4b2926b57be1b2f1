"""The judged set-ups are facts in a form that can be read, and few enough of them are recognised as nothing."""

from kb.core.setups.reading import read_setup
from tests.kb.core.setups.evaluation.cases import JUDGED, read_cases

FORBIDDEN = ("Traceback", "http://1", "@gmail", "/home/")


def test_every_case_is_read() -> None:
    """Each has its form, and what it hands over is recognised."""
    cases = read_cases()
    assert len(cases) >= 150
    assert 0.25 <= sum(case.held_out for case in cases) / len(cases) <= 0.42
    unread = [case.name for case in cases if not any(source.form for source in read_setup(case.named_texts).sources)]
    assert len(unread) <= 2, unread


def test_no_text_of_others_is_kept() -> None:
    """Pins, keys and flags; no logs, no addresses of anybody's machines."""
    for path in JUDGED.glob("*.yaml"):
        text = path.read_text("utf-8")
        assert not [word for word in FORBIDDEN if word in text], path.name
        assert len(text) < 8000, path.name
