"""The share of each framework's issues that only distributed work can have."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kb.charts.chart import Counted, Drawn, Option, Table
from kb.charts.counting import combinations
from kb.charts.crossed import INTERVALS
from kb.charts.dimensions import CAUSE, FRAMEWORK, Categories, Queries, categories, implied_by
from kb.charts.evidence import Evidence
from kb.charts.samples import left_out
from kb.charts.shares import COLUMNS, CategoryShare, Share, drawn, share_bars
from kb.charts.trees import Branch, Tree
from kb.core.search.filter_values import Value, join_values


@dataclass(frozen=True)
class DistributedShare:
    """The share of issues whose root cause only distributed work has, by framework."""

    slug: str = "distributed-share"
    title: str = "Specific to distributed work"
    lead: str = "How much of each framework's trouble comes from several processes working together?"
    method: str = (
        "An issue counts as specific when one of its root causes, or a group above it, is marked in the codebook as "
        "specific to distributed work: a fault that a single process on a single device cannot have. Symptoms and fix "
        "patterns bear no such mark, because the same hang or the same changed line occurs in either kind of work. "
        f"Shares are of the framework's issues whose root cause is known. {INTERVALS}"
    )
    options: tuple[Option, ...] = ()

    def draw(self, evidence: Evidence, chosen: Mapping[str, str]) -> Drawn:  # noqa: ARG002
        """Count the evidence and draw."""
        by_key = categories(evidence, (CAUSE, FRAMEWORK))
        causes, frameworks = by_key["cause"], by_key["framework"]
        marked = _topmost_marked(causes.tree)
        is_marked, is_known = implied_by(causes.tree, marked), implied_by(causes.tree, causes.tree.branches.values())
        cases: Counter[str] = Counter()
        known: Counter[str] = Counter()
        all_issues = 0
        for framework, answers, issues in combinations(evidence, ("framework", "cause")):
            (slug,) = frameworks.implied(framework)
            all_issues += issues
            if marked and is_known(answers):
                known[slug] += issues
            if is_marked(answers):
                cases[slug] += issues
        queries = _Queries(evidence, causes, frameworks, marked)
        shares = []
        for heading in frameworks.headings:
            code = heading.code
            if known[code]:
                share = Share(cases[code], known[code])
                shares.append(CategoryShare(replace(heading, issues=known[code]), share, queries.at(code)))
        shown = drawn(shares)
        together = Share(cases.total(), known.total())
        return Drawn(
            counted=Counted(together.of, all_issues, "whose root cause is known, in a codebook that marks causes"),
            figure=share_bars(shown),
            table=Table("Framework", COLUMNS, tuple(share.row for share in shown)),
            records=[share.record("framework") for share in shares],
            notes=(*_marked_note(marked), *left_out([(share.heading.name, share.share.of) for share in shares])),
            sentence=f"All frameworks together: {together.sentence}." if together.of else "",
        )


def _marked_note(marked: Sequence[Branch]) -> tuple[str, ...]:
    names = ", ".join(branch.name for branch in marked)
    return (f"Marked as specific to distributed work: {names}.",) if marked else ()


def _topmost_marked(tree: Tree) -> list[Branch]:
    """The marked categories that stand below no other marked one; all below them count with them."""
    topmost = []
    for branch in tree.branches.values():
        marked_above = [pk for pk in tree.above(branch.id) if tree.branches[pk].distributed]
        if marked_above == [branch.id]:
            topmost.append(branch)
    return topmost


class _Queries:
    """The query of a framework's specific issues.

    Any of several causes is asked for by `cause`. Where the address asks for causes too, both must hold, which one key
    cannot say unless the one set of causes lies within the other; then there is no query.
    """

    def __init__(
        self, evidence: Evidence, causes: Categories, frameworks: Categories, marked: Sequence[Branch]
    ) -> None:
        codes = [branch.code for branch in marked]
        self._single = codes[0] if len(codes) == 1 else ""
        self._is_possible = True
        if self._single:
            self._queries = Queries(evidence, frameworks, causes)
            return
        wanted = evidence.asked.wanted("cause")
        if not wanted or all(causes.tree.is_within(code, wanted) for code in codes):
            values = [*(Value(code) for code in codes), *evidence.excluded("cause")]
            evidence = evidence.saying(cause=join_values(values))
        else:
            self._is_possible = all(causes.tree.is_within(code, codes) for code in wanted)
        self._queries = Queries(evidence, frameworks)

    def at(self, framework: str) -> str:
        """The query, or nothing where there is none."""
        if self._single:
            return self._queries.at(framework, self._single)
        return self._queries.at(framework) if self._is_possible else ""
