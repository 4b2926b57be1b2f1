"""Which symptoms an address gives, the same address without them, and every symptom that could be given."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import QueryDict

from kb.charts.chart import Counted, Heading
from kb.charts.counting import combinations, tally
from kb.charts.dimensions import SYMPTOM, Categories, Queries, categories, implied_by
from kb.charts.evidence import HOUSE_SCHEME, Evidence, gather
from kb.charts.trees import Tree
from kb.search import Said
from kb.search.names import names


@dataclass(frozen=True)
class Chosen:
    """The symptoms of an address. `groups`: an issue has one of each group."""

    groups: tuple[tuple[Heading, ...], ...]
    said: tuple[Said, ...]

    @property
    def names(self) -> str:
        """`Hang`, `Hang or Crash`, `Hang and Crash`."""
        return " and ".join(" or ".join(one.name for one in group) for group in self.groups)

    @property
    def headings(self) -> tuple[Heading, ...]:
        """Each of them."""
        return tuple(one for group in self.groups for one in group)


def chosen(evidence: Evidence, tree: Tree) -> Chosen:
    """The symptoms that the address asks for, those that it leaves out aside."""
    said = tuple(one for one in evidence.asked.said if not one.value.unwanted and _codes(one, evidence, tree))
    either = [code for one in said if one.key == "symptom" for code in _codes(one, evidence, tree)]
    every = [_codes(one, evidence, tree) for one in said if one.key == "node"]
    groups = dict.fromkeys(tuple(dict.fromkeys(codes)) for codes in (either, *every) if codes)
    return Chosen(tuple(tuple(_heading(tree, code) for code in codes) for codes in groups), said)


def _codes(said: Said, evidence: Evidence, tree: Tree) -> list[str]:
    if said.key == "symptom" and evidence.is_house:
        return [code for code in said.meant if code in tree.by_code]
    if said.key != "node":
        return []
    paths = [path.partition("/") for path in said.meant]
    return [code for scheme, _, code in paths if scheme == evidence.scheme and code in tree.by_code]


def _heading(tree: Tree, code: str) -> Heading:
    branch = tree.by_code[code]
    return Heading(code, branch.name, url=branch.url)


def without(evidence: Evidence, given: Chosen) -> Evidence:
    """The same evidence, whatever the symptom."""
    return gather(evidence.asked.without_said(given.said))


def asking_for(codes: Sequence[str], params: QueryDict, scheme: str, *, every: bool) -> QueryDict:
    """The address that asks for one of these symptoms, or for `every` one; a study's can only be asked for together."""
    changed = params.copy()
    changed.pop("symptom", None)
    if scheme == HOUSE_SCHEME and not (every and len(codes) > 1):
        changed["symptom"] = ",".join(codes)
    else:
        held = [one for one in params.get("node", "").split(",") if one]
        changed["node"] = ",".join(dict.fromkeys((*held, *(f"{scheme}/{code}" for code in codes))))
    return changed


@dataclass(frozen=True)
class Offered:
    """A symptom that can be given: how deep in its tree it is, and the query of its issues."""

    heading: Heading
    depth: int
    query: str


def offered(evidence: Evidence, words: str = "") -> tuple[tuple[Offered, ...], Counted]:
    """Every symptom that issues have, with their number; with words, those that go by such a name."""
    one = categories(evidence, (SYMPTOM,))["symptom"]
    counted = tally(combinations(evidence, ("symptom",)), implied_by(one.tree, one.tree.branches.values()))
    queries = Queries(evidence, one)
    shown = tuple(
        Offered(Heading(b.code, b.name, counted.counts[b.code], b.url), one.tree.depth(b) - 1, queries.at(b.code))
        for b in one.tree.branches.values()
        if counted.counts[b.code] and _goes_by(b.code, b.name, words, one)
    )
    return shown, Counted(counted.answered, counted.all_issues, "whose symptom is known")


def _goes_by(code: str, name: str, words: str, one: Categories) -> bool:
    lookup = names().of("node")
    known = lookup.get(f"{one.scheme}/{code}") if lookup else None
    text = " ".join((code, name, *(known.aliases if known else ()))).casefold()
    return all(word in text for word in words.casefold().split())
