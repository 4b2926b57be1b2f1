"""How much of each framework's trouble only distributed work has."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from kb.charts.bars import Series, bars
from kb.charts.chart import Counted, Drawn, Heading, Option, Table
from kb.charts.counting import combinations
from kb.charts.crossed import INTERVALS
from kb.charts.dimensions import CAUSE, FRAMEWORK, Categories, Queries, categories, implied_by
from kb.charts.evidence import Evidence
from kb.charts.shares import COLUMNS, Share
from kb.charts.trees import Branch, Tree
from kb.filters.values import Value, join_values


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
        """Count and draw."""
        found = categories(evidence, (CAUSE, FRAMEWORK))
        causes, frameworks = found["cause"], found["framework"]
        marked = topmost(causes.tree)
        is_marked, is_known = implied_by(causes.tree, marked), implied_by(causes.tree, causes.tree.branches.values())
        cases: Counter[str] = Counter()
        known: Counter[str] = Counter()
        everything = 0
        for framework, held, n in combinations(evidence, ("framework", "cause")):
            (slug,) = frameworks.implied(framework)
            everything += n
            known[slug] += n if marked and is_known(held) else 0
            cases[slug] += n if is_marked(held) else 0
        queries = _Queries(evidence, causes, frameworks, marked)
        shares = [
            Share(replace(one, issues=known[one.code]), cases[one.code], known[one.code], queries.at(one.code))
            for one in frameworks.headings
            if known[one.code]
        ]
        return Drawn(
            counted=Counted(known.total(), everything, "whose root cause is known, in a codebook that marks causes"),
            figure=bars(
                [one.heading for one in shares],
                [Series("Share", {one.heading.code: one.bar for one in shares})],
                share=True,
            ),
            table=Table("Framework", COLUMNS, tuple(one.row for one in shares)),
            records=[one.record("framework") for one in shares],
            notes=(_marked_note(marked),) if marked else (),
            sentence=_sentence(cases.total(), known.total()),
        )


def topmost(tree: Tree) -> tuple[Branch, ...]:
    """The marked categories that stand below no other marked one; all below them count with them."""
    marked = {branch.id for branch in tree.branches.values() if branch.distributed}
    return tuple(tree.branches[pk] for pk in tree.branches if pk in marked and not marked & {*list(tree.above(pk))[1:]})


class _Queries:
    """The query of a framework's specific issues.

    Any of several causes is asked for by `cause`. Where the address asks for causes too, both must hold, which one key
    cannot say unless the one set of causes lies within the other; then there is no query.
    """

    def __init__(
        self, evidence: Evidence, causes: Categories, frameworks: Categories, marked: tuple[Branch, ...]
    ) -> None:
        codes = [branch.code for branch in marked]
        wanted = evidence.asked.wanted("cause")
        self._single = codes[0] if len(codes) == 1 else ""
        self._can = True
        if self._single:
            self._queries = Queries(evidence, frameworks, causes)
            return
        said = evidence
        if not wanted or all(causes.tree.is_within(code, wanted) for code in codes):
            unwanted = [one.value for one in evidence.asked.said if one.key == "cause" and one.value.unwanted]
            said = evidence.saying(cause=join_values([*map(Value, codes), *unwanted]))
        else:
            self._can = all(causes.tree.is_within(code, codes) for code in wanted)
        self._queries = Queries(said, frameworks)

    def at(self, framework: str) -> str:
        """The query, or nothing where there is none."""
        if self._single:
            return self._queries.at(framework, self._single)
        return self._queries.at(framework) if self._can else ""


def _marked_note(marked: tuple[Branch, ...]) -> str:
    return f"Marked as specific to distributed work: {', '.join(branch.name for branch in marked)}."


def _sentence(cases: int, known: int) -> str:
    if not known:
        return ""
    return f"All frameworks together: {Share(Heading('', ''), cases, known, '').text}."
