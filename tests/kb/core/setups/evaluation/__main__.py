"""`python -m tests.kb.core.setups.evaluation [FOLDER]`: what the check says of judged set-ups, held-out ones apart."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from kb.core.setups.judging import Finding, findings
from kb.core.setups.known_faults import KnownFault
from kb.core.setups.reading import read_setup
from tests.kb.core.diagnosis.evaluation.measures import wilson
from tests.kb.core.diagnosis.evaluation.tables import say
from tests.kb.core.setups.evaluation.cases import JUDGED, Case, read_cases
from tests.kb.core.setups.evaluation.faults import shipped_faults

LISTED = ("affects", "may")


def main() -> None:
    """Print what was missed, and the numbers."""
    cases = read_cases(Path(sys.argv[1]) if len(sys.argv) > 1 else JUDGED)
    faults = shipped_faults()
    answers = {case.name: findings(read_setup(case.named_texts), faults) for case in cases}
    tuned = [case for case in cases if not case.held_out]
    for case in tuned:
        if _verdict(case, answers) not in case.accepted:
            say(f"{case.name}: {_verdict(case, answers)}, and not {' or '.join(case.accepted)} ({case.record})")
    _numbers("tuned on", tuned, answers, faults)
    _numbers("held out", [case for case in cases if case.held_out], answers, faults)


Answers = Mapping[str, Sequence[Finding]]


def _verdict(case: Case, answers: Answers) -> str:
    """What is said of the case's own fault; for a case without one, what is expected."""
    if not case.record:
        return case.expect
    verdicts = [each.verdict for each in answers[case.name] if each.fault.url.lower() == case.record.lower()]
    return verdicts[0] if verdicts and verdicts[0] in LISTED else "not"


def _numbers(title: str, cases: Sequence[Case], answers: Answers, faults: Sequence[KnownFault]) -> None:
    if not cases:
        return
    known = {fault.url.lower() for fault in faults}
    having = [case for case in cases if case.record and case.expect == "affects"]
    free = [case for case in cases if case.record and "affects" not in case.accepted]
    can_be = [case for case in having if case.record.lower() in known]
    say(f"\n{title}: {len(cases)} set-ups")
    _share("own fault listed", [_verdict(case, answers) in LISTED for case in having])
    _share(
        "own fault listed, where its record has versions or a condition",
        [_verdict(case, answers) in LISTED for case in can_be],
    )
    _share("own fault says affects", [_verdict(case, answers) == "affects" for case in having])
    _share("affects where it is not", [_verdict(case, answers) == "affects" for case in free])
    for verdict in LISTED:
        counts = [sum(each.verdict == verdict for each in answers[case.name]) for case in cases]
        say(f"  {verdict} per set-up: median {median(counts):g}, at most {max(counts)}")


def _share(title: str, hits: Sequence[bool]) -> None:
    if hits:
        low, high = wilson(sum(hits) / len(hits), len(hits))
        say(f"  {title}: {sum(hits)} of {len(hits)} = {sum(hits) / len(hits):.2f} ({low:.2f} to {high:.2f})")


if __name__ == "__main__":
    main()
