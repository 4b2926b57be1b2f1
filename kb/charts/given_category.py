"""What is commonest among the issues of an address: their symptoms and their fixes. Reads the database.

For causes given symptoms, see `kb.charts.cards`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from kb.charts.chart import Counted, Heading
from kb.charts.counting import Row, combinations, tally
from kb.charts.dimensions import FIX, SYMPTOM, Categories, Queries, categories
from kb.charts.evidence import Evidence
from kb.charts.given import largest
from kb.charts.shares import CategoryShare, Share

SHOWN = 5


@dataclass(frozen=True)
class Commonest:
    """The commonest symptoms and fix patterns of some issues, and how many of them have a linked fix."""

    counted: Counted
    symptoms: tuple[CategoryShare, ...]
    fixes: tuple[CategoryShare, ...]
    fixed: Share


def commonest(evidence: Evidence, level: int) -> Commonest:
    """Count the evidence's issues."""
    by_key = categories(evidence, (SYMPTOM, FIX), level)
    rows = combinations(evidence, ("symptom", "fix", "has_fix"))
    symptoms = tally(combinations(evidence, ("symptom",)), by_key["symptom"].implied)
    fixed = sum(issues for *_, has_fix, issues in rows if has_fix)
    return Commonest(
        counted=Counted(symptoms.answered, symptoms.all_issues, "whose symptom is known"),
        symptoms=shares(evidence, by_key["symptom"], combinations(evidence, ("symptom",))),
        fixes=shares(evidence, by_key["fix"], combinations(evidence, ("fix",))),
        fixed=Share(fixed, symptoms.all_issues),
    )


def shares(evidence: Evidence, of: Categories, rows: Iterable[Row]) -> tuple[CategoryShare, ...]:
    """The most frequent categories, of the issues that have any; `rows` are answers with numbers of issues."""
    counted = tally(rows, of.implied)
    branches = of.tree.branches.values()
    headings = {branch.code: Heading(branch.code, branch.name, url=branch.url) for branch in branches}
    queries = Queries(evidence, of)
    most = largest(headings, counted.counts, counted.answered, SHOWN)
    return tuple(replace(share, query=queries.at(share.heading.code)) for share in most)
