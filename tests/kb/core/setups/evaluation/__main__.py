"""`python -m tests.kb.core.setups.evaluation [FOLDER]`: what the check says of judged set-ups, held-out ones apart."""

import sys
from pathlib import Path

from kb.core.setups.incompatibilities import incompatibilities
from tests.kb.core.diagnosis.evaluation.tables import say
from tests.kb.core.setups.evaluation.cases import JUDGED, read_cases
from tests.kb.core.setups.evaluation.faults import faults_of_records
from tests.kb.core.setups.evaluation.measures import measured


def main() -> None:
    """Print what is answered otherwise, and the numbers."""
    cases = read_cases(Path(sys.argv[1]) if len(sys.argv) > 1 else JUDGED)
    faults = (*faults_of_records(), *incompatibilities())
    for title, is_held_out in (("tuned on", False), ("held out", True)):
        report = measured([case for case in cases if case.held_out is is_held_out], faults)
        # What is held out is counted and not looked at.
        for line in () if is_held_out else report.misses:
            say(line)
        say(f"\n{title}: {len(report.answers)} set-ups")
        for line in report.lines():
            say(f"  {line}")


if __name__ == "__main__":
    main()
