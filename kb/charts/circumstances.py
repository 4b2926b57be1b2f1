"""How faults are found, reproduced, tested and told: the five circumstances of described issues, as bars.

Records state them of issues, not of answers, so they are read beside the facts that other charts count.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db import connection

from kb.charts.chart import Counted, Drawn, Heading, Option, Record, Table
from kb.charts.counting import relation
from kb.charts.crossed import INTERVALS
from kb.charts.evidence import Evidence
from kb.charts.samples import left_out
from kb.charts.shares import COLUMNS, CategoryShare, Share, drawn, share_bars
from kb.models import FACTS
from kb.models.circumstances import Fact

COLUMNS_READ = ", ".join(f"i.{fact.key}" for fact in FACTS)
READ = "SELECT {columns}, count(*) FROM kb_issue i WHERE i.id IN (SELECT f.issue_id FROM {relation}) GROUP BY {columns}"


@dataclass(frozen=True)
class CircumstancesChart:
    """Shares of the words of each fact."""

    slug: str = "circumstances"
    title: str = "Found, reproduced, tested and told"
    lead: str = "How are faults found, reproduced, tested and told?"
    method: str = (
        "Five facts that studies label: who noticed the fault first, the least that shows it, how its fix was tested, "
        "whether the failing run's own output tells the cause, and whether cause and repair lie in one component. "
        "They are known of records that were drawn by a hash of their address and read for this by two readers. Shares "
        f"are of the issues of which the fact is known. {INTERVALS}"
    )
    options: tuple[Option, ...] = ()

    def draw(self, evidence: Evidence, chosen: Mapping[str, str]) -> Drawn:  # noqa: ARG002
        """Count the evidence and draw."""
        told = _told(evidence)
        by_fact = {fact: _shares(evidence, fact, told.by_fact[fact]) for fact in FACTS}
        shares = [share for each in by_fact.values() for share in each]
        shown = drawn(shares)
        return Drawn(
            counted=Counted(told.known, told.issues, "of which a circumstance is known"),
            figure=share_bars(shown),
            table=Table("Circumstance", COLUMNS, tuple(share.row for share in shown)),
            records=[_record(fact, share) for fact, each in by_fact.items() for share in each],
            notes=(*_numbers(told), *left_out([(share.heading.name, share.share.of) for share in shares])),
            sentence=_sentence(by_fact),
        )


@dataclass(frozen=True)
class _Told:
    """Issues by the words of each fact; `known`: of how many at least one is known."""

    by_fact: Mapping[Fact, Counter[str]]
    known: int
    issues: int


def _told(evidence: Evidence) -> _Told:
    text, values = relation(evidence)
    by_fact: dict[Fact, Counter[str]] = {fact: Counter() for fact in FACTS}
    known = issues = 0
    with connection.cursor() as cursor:
        cursor.execute(READ.format(columns=COLUMNS_READ, relation=text), values)
        for *words, number in cursor.fetchall():
            issues += number
            known += number if any(words) else 0
            for fact, word in zip(FACTS, words, strict=True):
                if word:
                    by_fact[fact][word] += number
    return _Told(by_fact, known, issues)


def _shares(evidence: Evidence, fact: Fact, told: Counter[str]) -> list[CategoryShare]:
    """The words that occur, in their own order."""
    shares = []
    for word, name in fact.words.choices:
        if told[word]:
            query = evidence.saying(**{fact.key: word}).params.urlencode(safe="/,")
            shares.append(CategoryShare(Heading(f"{fact.key}={word}", name), Share(told[word], told.total()), query))
    return shares


def _record(fact: Fact, share: CategoryShare) -> Record:
    word = share.heading.code.partition("=")[2]
    return {"fact": fact.key, "question": fact.question, **share.record("circumstance"), "word": word}


def _numbers(told: _Told) -> Iterator[str]:
    """How many issues each fact is known of: nobody knows that of the others."""
    if told.known:
        numbers = [f"{fact.question} {told.by_fact[fact].total():,}." for fact in FACTS]
        yield f"Known of {told.known:,} issues, each fact of so many: {' '.join(numbers)}"


def _sentence(by_fact: Mapping[Fact, Sequence[CategoryShare]]) -> str:
    """Whether logs tell the cause, which studies ask first."""
    told = [share for fact, shares in by_fact.items() for share in shares if fact.key == "told_by"]
    for share in drawn(told):
        if share.heading.code == "told_by=log":
            return f"The log alone tells the cause of {share.share.sentence}."
    return ""
