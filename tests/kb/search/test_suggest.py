"""What the search box offers while a filter is typed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.core.search.language import parse
from kb.core.search.lookup import Lookup, Named
from kb.search.names import FIXED, Names
from kb.search.names import KEYS as SHOWN_KEYS
from kb.search.request import BOX_KEYS
from kb.search.suggest import MOST, suggest

SYMPTOMS = [
    Named("hang", "Hang", ("deadlock",)),
    Named("out-of-memory", "Out of memory", ("OOM", "allocation failure")),
    Named("slow", "Slow run, slow start", ()),
    Named("old", "Old one", (), offered=False),
]
FRAMEWORKS = [Named("deepspeed", "DeepSpeed"), Named("a b", "A B")]
KNOWN = Names(
    SHOWN_KEYS,
    {
        "symptom": Lookup(SYMPTOMS),
        "framework": Lookup(FRAMEWORKS),
        "cause": Lookup(Named(f"cause-{n}", f"Cause {n}") for n in range(30)),
    },
    FIXED,
)


def offered(text: str) -> list[str]:
    """What the text becomes with each completion; `|` is the caret."""
    plain = text.replace("|", "")
    return [plain[: one.start] + one.insert + plain[one.end :] for one in suggest(plain, text.index("|"), KNOWN)]


@given(st.text(alphabet='symptoi:" ,-_ah\n\x00é', max_size=60), st.integers(-5, 70))
def test_any_text_gives_at_most_ten_within_it(text: str, caret: int) -> None:
    found = suggest(text, caret, KNOWN)
    assert len(found) <= MOST
    assert all(0 <= one.start <= one.end <= len(text) for one in found)


class TestKeys:
    @pytest.mark.parametrize(
        ("text", "first"),
        [
            ("sym|", "symptom:"),
            ("hang sy|", "hang symptom:"),
            ("-sym|", "-symptom:"),
            ("sy|mptom:hang x", "symptom:hang x"),
            ("root|", "cause:"),
            ("i|", "is:"),
            ("HAS|", "has_fix:"),
        ],
    )
    def test_are_offered_for_a_word_that_could_be_one(self, text: str, first: str) -> None:
        assert offered(text)[0] == first

    @pytest.mark.parametrize("text", ["|", "hang |", "zzz|", '"sym|', '"a sym|', "sym\n|", "--sym|", "a.sym|", "5|"])
    def test_are_not_offered_elsewhere(self, text: str) -> None:
        assert offered(text) == []


class TestValues:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("symptom:ha|", ["symptom:hang"]),
            ("x symptom:|", ["x symptom:hang", "x symptom:out-of-memory", "x symptom:slow"]),
            ("symptom:MEM|", ["symptom:out-of-memory"]),
            ("symptom:oom|", ["symptom:out-of-memory"]),
            ("symptom:dedlock|", ["symptom:hang"]),
            ("-symptom:hang,sl|", ["-symptom:hang,slow"]),
            ("symptom:hang,-sl|", ["symptom:hang,-slow"]),
            ('symptom:"out of|', ["symptom:out-of-memory"]),
            ('symptom:"Slow run, sl|" x', ["symptom:slow x"]),
            ("symptom:ha|xx y", ["symptom:hang y"]),
            ("framework:a|", ['framework:"a b"', "framework:deepspeed"][:1]),
            ("is:o|", ["is:open"]),
            ("-has:f|", ["-has:fix", "-has:small_fix"]),
            ("state:cl|", ["state:closed"]),
            ("created:>|", ["created:>2024-01"]),
            ("lines:|", ["lines:>10", "lines:<=10", "lines:10..20"]),
            ("nothing:x|", []),
        ],
    )
    def test_go_by_code_name_and_alias(self, text: str, expected: list[str]) -> None:
        assert offered(text) == expected

    def test_are_at_most_ten_and_say_what_they_are(self) -> None:
        found = suggest("cause:", 6, KNOWN)
        assert len(found) == MOST
        assert (found[0].insert, found[0].name) == ("cause-0", "Cause 0")
        (oom,) = suggest("symptom:oom", 11, KNOWN)
        assert oom.note == "also: OOM"

    def test_read_as_the_filter_they_offer(self) -> None:
        for text in offered("framework:|"):
            assert [one.key for one in parse(text, BOX_KEYS).filters] == ["framework"]
