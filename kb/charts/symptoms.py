"""The symptoms that an address asks for, the same address without them, and every symptom that it could ask for.

Reads the database.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from django.http import QueryDict

from kb.charts.chart import Counted, Heading
from kb.charts.counting import combinations, tally
from kb.charts.dimensions import SYMPTOM, Categories, Queries, categories, implied_by
from kb.charts.evidence import HOUSE_SCHEME, Evidence, gather
from kb.charts.trees import Branch, Tree
from kb.search import FilterTerm
from kb.search.names import names


@dataclass(frozen=True)
class Chosen:
    """The symptoms of an address. `groups`: an issue has one of each group."""

    groups: tuple[tuple[Heading, ...], ...]
    terms: tuple[FilterTerm, ...]

    @property
    def names(self) -> str:
        """`Hang`, `Hang or Crash`, `Hang and Crash`."""
        alternatives = [" or ".join(heading.name for heading in group) for group in self.groups]
        return " and ".join(alternatives)

    @property
    def headings(self) -> tuple[Heading, ...]:
        """Each of them."""
        return tuple(chain.from_iterable(self.groups))


def chosen(evidence: Evidence, tree: Tree) -> Chosen:
    """The symptoms that the address asks for, not those that it leaves out."""
    filters = []
    any_of: list[str] = []
    groups = []
    for term in evidence.asked.terms:
        codes = _codes(term, evidence, tree)
        if term.value.unwanted or not codes:
            continue
        filters.append(term)
        if term.key == "symptom":
            any_of += codes
        else:
            groups.append(codes)
    if any_of:
        groups.insert(0, any_of)
    headings = []
    for group in dict.fromkeys(tuple(dict.fromkeys(codes)) for codes in groups):
        headings.append(tuple(_heading(tree.by_code[code]) for code in group))
    return Chosen(tuple(headings), tuple(filters))


def _codes(term: FilterTerm, evidence: Evidence, tree: Tree) -> list[str]:
    """The symptoms that a filter asks for."""
    if term.key == "symptom" and evidence.is_house:
        return [code for code in term.meant if code in tree.by_code]
    codes = []
    if term.key == "node":
        for path in term.meant:
            scheme, _, code = path.partition("/")
            if scheme == evidence.scheme and code in tree.by_code:
                codes.append(code)
    return codes


def _heading(branch: Branch, issues: int | None = None) -> Heading:
    return Heading(branch.code, branch.name, issues, branch.url)


def without(evidence: Evidence, symptoms: Chosen) -> Evidence:
    """The same evidence, whatever the symptom."""
    return gather(evidence.asked.without_terms(symptoms.terms))


def asking_for(codes: Sequence[str], params: QueryDict, scheme: str, *, every: bool) -> QueryDict:
    """The address that asks for one of these symptoms, or for `every` one; a study's can only be asked for together."""
    changed = params.copy()
    changed.pop("symptom", None)
    if scheme == HOUSE_SCHEME and not (every and len(codes) > 1):
        changed["symptom"] = ",".join(codes)
    else:
        nodes = [node for node in params.get("node", "").split(",") if node]
        nodes += [f"{scheme}/{code}" for code in codes]
        changed["node"] = ",".join(dict.fromkeys(nodes))
    return changed


@dataclass(frozen=True)
class Offered:
    """A symptom that can be given, its depth below the roots of its tree, and the query of its issues."""

    heading: Heading
    depth: int
    query: str


def offered(evidence: Evidence, words: str = "") -> tuple[tuple[Offered, ...], Counted]:
    """Every symptom that issues have, with their number; with words, those that have all of them in their names."""
    symptoms = categories(evidence, (SYMPTOM,))["symptom"]
    tree = symptoms.tree
    counted = tally(combinations(evidence, ("symptom",)), implied_by(tree, tree.branches.values()))
    queries = Queries(evidence, symptoms)
    shown = []
    for branch in tree.branches.values():
        issues = counted.counts[branch.code]
        if issues and _is_named(branch, words, symptoms):
            shown.append(Offered(_heading(branch, issues), tree.depth(branch) - 1, queries.at(branch.code)))
    return tuple(shown), Counted(counted.answered, counted.all_issues, "whose symptom is known")


def _is_named(branch: Branch, words: str, symptoms: Categories) -> bool:
    """Whether all of the words are in the symptom's code, name and aliases."""
    lookup = names().of("node")
    node = lookup.get(f"{symptoms.scheme}/{branch.code}") if lookup else None
    aliases = node.aliases if node else ()
    text = " ".join((branch.code, branch.name, *aliases)).casefold()
    return all(word in text for word in words.casefold().split())
