"""What the search box offers while words are typed: pages of the codebook, playbooks, and issues, in groups.

How a filter goes on that is being typed is `suggest`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.http import QueryDict
from django.urls import reverse

from kb.core.fault_playbooks import FaultPlaybook, fault_playbooks
from kb.core.search.cards import Card, cut
from kb.core.search.lookup import fold
from kb.models import Node
from kb.search.names import Names, at_hand
from kb.search.request import read
from kb.search.service import answer

ANSWERS, FIXED, OTHERS, PLAYBOOKS, DEFINITIONS = (
    "Answers",
    "Issues with a fix",
    "Other issues",
    "Playbooks",
    "Definitions",
)
MOST = {ANSWERS: 4, FIXED: 4, OTHERS: 3, PLAYBOOKS: 2, DEFINITIONS: 2}
# What a fault is called and where it sits; the other axes say what kind of thing it is.
ANSWERING = frozenset({"symptom", "root_cause", "component"})
LEAST_CHARACTERS, MOST_CHARACTERS = 2, 200
CANDIDATES = 12
MOST_NOTE = 90
# A shorter name inside a longer text is there by chance.
LEAST_NAME = 3


@dataclass(frozen=True)
class Offer:
    """A page to open: `note` says what it is."""

    name: str
    note: str
    url: str


@dataclass(frozen=True)
class OfferGroup:
    """Offers of one kind, the best first."""

    name: str
    offers: tuple[Offer, ...]


@dataclass(frozen=True)
class _Page:
    """A page of the codebook and the names by which it is found, folded."""

    group: str
    offer: Offer
    names: tuple[str, ...]

    def rank(self, typed: str) -> tuple[int, int] | None:
        """How well the text names the page, the least is the best; None where it does not.

        First pages with a name that goes on like the text, then those with all of its words, then names within it.
        """
        if any(name.startswith(typed) for name in self.names):
            return 0, len(self.names[0])
        padded = f" {' '.join(self.names)}"
        if all(f" {word}" in padded for word in typed.split()):
            return 1, len(self.names[0])
        inside = [len(name) for name in self.names if _is_within(name, typed)]
        return (2, -max(inside)) if inside else None


def _is_within(name: str, typed: str) -> bool:
    """Does the text have the name as words of its own? Chinese puts no blanks between words."""
    if not name.isascii():
        return name in typed or typed in name
    return len(name) >= LEAST_NAME and f" {name} " in f" {typed} "


def offers(text: str, *, with_issues: bool = True) -> list[OfferGroup]:
    """The groups that have any offer for the text; filters in it narrow the issues."""
    params = QueryDict(mutable=True)
    params["q"] = text[:MOST_CHARACTERS]
    asked = read(params)
    typed = fold(asked.query.words)
    known = at_hand()
    if len(typed) < LEAST_CHARACTERS or "\n" in text or len(text) > MOST_CHARACTERS or asked.errors or known is None:
        return []
    grouped: dict[str, list[Offer]] = {group: [] for group in MOST}
    ranked = [(rank, page) for page in _pages(known) if (rank := page.rank(typed)) is not None]
    for _rank, page in sorted(ranked, key=lambda entry: entry[0]):
        grouped[page.group].append(page.offer)
    if with_issues:
        result = answer(asked, limit=CANDIDATES, with_facets=False, with_total=False)
        for card in [row.card for row in result.rows] if result.is_close else ():
            grouped[FIXED if card.fix or card.fix_line else OTHERS].append(_offer(card))
    return [OfferGroup(group, tuple(several[: MOST[group]])) for group, several in grouped.items() if several]


def _offer(card: Card) -> Offer:
    """An issue; one that says what to do says so, too."""
    fix_line = cut(card.fix_line.replace("`", ""), MOST_NOTE)
    return Offer(card.title, f"{card.name}: {fix_line}" if fix_line else card.name, card.page)


_cached: tuple[Names, tuple[_Page, ...]] | None = None


def _pages(known: Names) -> tuple[_Page, ...]:
    """The house codebook's pages and playbooks of common faults; read once per state of the names."""
    global _cached
    if _cached is None or _cached[0] is not known:
        nodes = Node.objects.house().filter(status=Node.Status.ACTIVE).select_related("axis__scheme", "playbook")
        pages = map(_page, nodes.order_by("axis__position", "position", "pk"))
        _cached = (known, (*map(_page_of_fault, fault_playbooks()), *pages))
    return _cached[1]


def _page(node: Node) -> _Page:
    names = _folded((node.name, node.code, *node.aliases))
    axis = node.axis.name
    if hasattr(node, "playbook"):
        return _Page(PLAYBOOKS, Offer(node.name, "Playbook", reverse("playbook", args=[node.code])), names)
    group = ANSWERS if node.axis.code in ANSWERING else DEFINITIONS
    return _Page(group, Offer(node.name, axis, node.get_absolute_url()), names)


def _page_of_fault(playbook: FaultPlaybook) -> _Page:
    offer = Offer(playbook.name, "Playbook", reverse("fault-playbook", args=[playbook.slug]))
    return _Page(PLAYBOOKS, offer, _folded((playbook.name, *playbook.asked)))


def _folded(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(fold, names)))
