"""What checks say of judged set-ups, counted: faults that are listed, and set-ups where "affects" is said wrongly."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from kb.core.setups.judging import findings
from kb.core.setups.known_faults import KnownFault
from kb.core.setups.reading import read_setup
from tests.kb.core.diagnosis.evaluation.measures import wilson
from tests.kb.core.setups.evaluation.cases import Case


@dataclass(frozen=True)
class Judged:
    """A set-up, what is said of its own fault, and how many faults affect or may affect it."""

    case: Case
    verdict: str
    affecting: tuple[str, ...]
    may: int
    # Whether its record says anything of versions or conditions.
    can_be_listed: bool

    @property
    def is_right(self) -> bool:
        """Whether the answer can be defended."""
        return self.verdict in self.case.accepted if self.case.record else not self.case.is_sound or not self.affecting


@dataclass(frozen=True)
class Report:
    """The answers of some set-ups."""

    answers: Sequence[Judged]

    @property
    def listed(self) -> list[bool]:
        """For each set-up that is affected, whether its fault is listed."""
        return [each.verdict != "not" for each in self.answers if each.case.expect == "affects"]

    @property
    def listed_where_known(self) -> list[bool]:
        """As `listed`, of those whose record says anything of versions or conditions."""
        affected = [each for each in self.answers if each.case.expect == "affects"]
        return [each.verdict != "not" for each in affected if each.can_be_listed]

    @property
    def wrongly(self) -> list[bool]:
        """For each set-up that is not affected, or should have no fault, whether "affects" is said of it."""
        without = [each for each in self.answers if "affects" not in each.case.accepted]
        judged = [each for each in without if each.case.record or each.case.is_sound]
        return [each.verdict == "affects" if each.case.record else bool(each.affecting) for each in judged]

    @property
    def misses(self) -> list[str]:
        """The set-ups that are answered otherwise."""
        return [
            f"{each.case.name}: {each.case.record or each.affecting} {each.verdict}, expected {each.case.accepted}"
            for each in self.answers
            if not each.is_right
        ]

    def lines(self) -> Iterator[str]:
        """The numbers, with Wilson's intervals."""
        shares = {
            "own fault is listed": self.listed,
            "  where the record has versions or a condition": self.listed_where_known,
            "'affects' where it is not so": self.wrongly,
        }
        for title, hits in shares.items():
            if hits:
                share = sum(hits) / len(hits)
                low, high = wilson(share, len(hits))
                yield f"{title}: {sum(hits)} of {len(hits)} = {share:.2f} ({low:.2f} to {high:.2f})"
        for title, counts in (
            ("affects", [len(each.affecting) for each in self.answers]),
            ("may", [each.may for each in self.answers]),
        ):
            yield f"{title} per set-up: median {median(counts or [0]):g}, at most {max(counts, default=0)}"


def measured(cases: Iterable[Case], faults: Sequence[KnownFault]) -> Report:
    """Check every set-up against these faults."""
    known = {fault.url.lower() for fault in faults}
    return Report([_judged(case, faults, known) for case in cases])


def _judged(case: Case, faults: Sequence[KnownFault], known: set[str]) -> Judged:
    verdicts = {
        finding.fault.url.lower(): finding.verdict for finding in findings(read_setup(case.named_texts), faults)
    }
    own = case.record.lower()
    verdict = verdicts.get(own, "not")
    return Judged(
        case=case,
        verdict=verdict if verdict in ("affects", "may") else "not",
        affecting=tuple(url for url, each in verdicts.items() if each == "affects"),
        may=sum(each == "may" for each in verdicts.values()),
        can_be_listed=own in known,
    )
