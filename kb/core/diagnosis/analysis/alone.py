"""What one rank alone says before the job stands still, at whatever level: L4's pattern across ranks and across jobs.

Most lines of failures stand below the level of an error, and no signal knows them all. What the others do not say, and
healthy runs beside do not either, tells one rank apart.
"""

from collections.abc import Iterator, Sequence

from kb.core.diagnosis.analysis.candidates import MANY_WRITERS, Candidate
from kb.core.diagnosis.analysis.context import Context
from kb.core.diagnosis.analysis.order import Key
from kb.core.diagnosis.parsing.stages import mark
from kb.core.diagnosis.parsing.steps import plan
from kb.core.diagnosis.scanning.records import Template

ALONE = "Only one rank logged it, and no other line explains why the job hangs."
# Said more often, it is what this rank says as a matter of course. A word alone tells nothing.
MOST_TIMES, FEWEST_WORDS = 3, 2
WEIGHT, SCORE = 1.0, 0.5


def said_alone(context: Context, waits: Sequence[Candidate]) -> Iterator[Candidate]:
    """Kinds of lines that one rank alone wrote, before others waited for it. `waits`: what shows that they did."""
    scan, topology = context.scan, context.topology
    ranks = {emitter.id: rank for emitter in scan.emitters if (rank := topology.rank(emitter)) is not None}
    if len(set(ranks.values())) < MANY_WRITERS or not waits:
        return
    waited = min(context.key(wait.first) for wait in waits)
    # Who reports the steps says much besides that nobody else does.
    speakers = {line.emitter.id for line in context.progress.steps}
    speakers |= {number for number, rank in ranks.items() if rank == 0}
    for template in scan.templates:
        writers = set(template.counts)
        is_of_speaker = bool(writers & speakers) and not context.healthy
        if (
            len(writers) == 1
            and writers <= ranks.keys()
            and not is_of_speaker
            and _is_telling(template, context, waited)
        ):
            occurrences = tuple(sorted(template.occurrences, key=context.key))
            yield Candidate(template, occurrences, None, "root", WEIGHT, SCORE, (ALONE,))


def _is_telling(template: Template, context: Context, waited: Key) -> bool:
    """Whether nothing is known of such lines, and they are no matter of course."""
    if template.is_notable or template.is_frame or not template.occurrences or template.count > MOST_TIMES:
        return False
    first = template.occurrences[0]
    if template.text in context.healthy or context.key(first) >= waited or context.survived(first):
        return False
    is_usual = plan(first.text) is not None or mark(first.text)
    return len(template.text.split()) >= FEWEST_WORDS and not is_usual
