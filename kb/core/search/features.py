"""What ranking reads of a document beside its engine's score: its title, its beginning, the word groups in both.

Words are kept as plain text with a blank around each, so that looking for one is a search in a short string.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kb.core.search.lexicon import NODE_SIGN, everyday

# How many words of each part make up the beginning of a document.
LEAD_WORDS = {"ours": 120, "text": 200, "telling": 80}
OURS_BESIDE_TITLE = 40
# Stands between parts, so that words on its two sides are no neighbours.
GAP = "|"


@dataclass(frozen=True)
class Merits:
    """What a reader gains from an issue beside its fit; `readers`: how many reacted to it."""

    curated: bool = False
    resolved: bool = False
    fix: bool = False
    readers: int = 0


@dataclass(frozen=True)
class Features:
    """Padded words of title and beginning, padded group names in title and beginning, the framework's slug.

    The names of the nodes with which the issue is labelled are among the groups of its beginning. `faces`: the padded
    words of each other way in which its fault is seen, its error lines among them, a gap between two.
    """

    title: str
    lead: str
    title_groups: str
    lead_groups: str
    framework: str
    merits: Merits = Merits()
    faces: str = ""


def pack(
    *,
    title: str,
    ours: str,
    text: str,
    telling: str,
    framework: str,
    merits: Merits,
    nodes: Sequence[str] = (),
    faces: Sequence[str] = (),
) -> bytes:
    """The features of a document with these normalised words in its parts, joined by blanks.

    `nodes`: the names of those with which it is labelled; `faces`: the words of each other face of its fault.
    """
    leads = [_first(part, LEAD_WORDS[name]) for name, part in (("ours", ours), ("text", text), ("telling", telling))]
    lead = f" {f' {GAP} '.join(leads)} "
    flags = f"{merits.curated:d} {merits.resolved:d} {merits.fix:d} {merits.readers}"
    padded_faces = GAP.join(f" {face} " for face in faces)
    return _packed(f" {title} ", lead, nodes, framework, flags, padded_faces)


def regrouped(packed: bytes) -> bytes:
    """What another version of the program packed, with the word groups of this one."""
    title, lead, _, lead_groups, *others = packed.decode().split("\n")
    nodes = [name for name in lead_groups.split() if name.startswith(NODE_SIGN)]
    return _packed(title, lead, nodes, *others)


def _packed(title: str, lead: str, nodes: Sequence[str], *others: str) -> bytes:
    # The lead begins with `ours`.
    ours = lead.partition(GAP)[0].strip()
    near = f"{title}{GAP} {_first(ours, OURS_BESIDE_TITLE)} "
    names = everyday().names(f"{title}{GAP}{lead}")
    beside_title = " ".join([name for name, end in names.items() if end <= len(near)])
    return "\n".join((title, lead, f" {beside_title} ", f" {' '.join((*names, *nodes))} ", *others)).encode()


def _first(text: str, words: int) -> str:
    return " ".join(text.split(" ", words)[:words])


def unpack(packed: bytes) -> Features:
    """What `pack` packed; nothing where an engine keeps no features."""
    if not packed:
        return Features("", "", "", "", "")
    title, lead, title_groups, lead_groups, framework, flags, faces = packed.decode().split("\n")
    curated, resolved, fix, readers = map(int, flags.split())
    merits = Merits(bool(curated), bool(resolved), bool(fix), readers)
    return Features(title, lead, title_groups, lead_groups, framework, merits, faces)


def any_in(padded: Sequence[str], text: str) -> bool:
    """Does one of these words or names, a blank around each, stand in a part of the features?"""
    for word in padded:  # noqa: SIM110  # a generator takes twice the time
        if word in text:
            return True
    return False
