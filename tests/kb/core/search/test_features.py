"""What ranking reads of a document comes back as it was packed."""

from hypothesis import given
from hypothesis import strategies as st

from kb.core.search.features import LEAD_WORDS, OURS_BESIDE_TITLE, Features, Merits, pack, regrouped, unpack
from kb.core.search.normalise import words

WORDS = st.text(max_size=200).map(lambda text: " ".join(words(text)))
MERITS = st.builds(Merits, st.booleans(), st.booleans(), st.booleans(), st.integers(0, 10**9))
NONE = Merits()


@given(WORDS, WORDS, WORDS, WORDS, st.sampled_from(["vllm", "megatron-lm", ""]), MERITS)
def test_there_and_back(title: str, ours: str, text: str, telling: str, framework: str, merits: Merits) -> None:
    packed = pack(title=title, ours=ours, text=text, telling=telling, framework=framework, merits=merits)
    found = unpack(packed)
    assert found.title.split() == title.split()
    assert found.lead.split() == [*ours.split(), "|", *text.split(), "|", *telling.split()]
    assert (found.framework, found.merits) == (framework, merits)
    assert all(part.startswith(" ") and part.endswith(" ") for part in (found.title, found.lead))
    assert set(found.title_groups.split()) <= set(found.lead_groups.split())


def test_an_engine_that_keeps_none_gives_none() -> None:
    assert unpack(b"") == Features("", "", "", "", "")


def test_only_the_beginning_of_each_part_is_kept() -> None:
    long = " ".join(["x"] * 10_000)
    found = unpack(pack(title="t", ours=long, text=long, telling=long, framework="f", merits=NONE))
    assert len(found.lead.split()) == sum(LEAD_WORDS.values()) + 2


def test_parts_are_no_neighbours() -> None:
    """A phrase of two parts is none: “out of” ends one and “memory” begins the next."""
    apart = pack(title="", ours="out of", text="memori", telling="", framework="f", merits=NONE)
    joined = pack(title="", ours="", text="out of memori", telling="", framework="f", merits=NONE)
    assert set(unpack(joined).lead_groups.split()) > set(unpack(apart).lead_groups.split())


def test_our_first_words_count_as_near_the_title() -> None:
    near, far = ("x " * (OURS_BESIDE_TITLE - 1 + more) + "hang" for more in (0, 1))
    groups = [
        unpack(pack(title="", ours=ours, text="", telling="", framework="f", merits=NONE)).title_groups.split()
        for ours in (near, far)
    ]
    assert groups[0]
    assert not groups[1]


@given(WORDS, WORDS, WORDS)
def test_what_another_version_packed_has_the_groups_of_this_one(title: str, ours: str, text: str) -> None:
    own = pack(title=title, ours=ours, text=text, telling="hang", framework="f", merits=NONE, nodes=["@symptom/hang"])
    lines = own.decode().split("\n")
    lines[2], lines[3] = " 9999 ", " 9999 @symptom/hang "
    assert regrouped("\n".join(lines).encode()) == own
