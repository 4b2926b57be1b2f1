"""The agreement of two independent passes over the curated records, as the text of `docs/agreement.md`.

Pure: `kb.starter.passes` reads the passes' files and settles them, `labeling.agreement` has the coefficients.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kb.charts.figures import percent_range
from kb.codebook.format import AXIS_CODES, AxisCode
from kb.core.intervals import wilson
from kb.starter.circumstances import FACT_KEYS, Reading
from kb.starter.passes import Answers, Passes, Pilot, Settled, apart
from labeling.agreement.measure import Coefficient
from labeling.agreement.report import AxisReport, report_axis
from labeling.agreement.votes import tabulate
from labeling.agreement.words import coefficient, percent

Parents = Mapping[tuple[str, str], str | None]
FIRST, SECOND, ANOTHER = "first", "second", "another"
# Many-valued answers that share a code agree partly: Passonneau 2006 (LREC), MASI.
KEYS = ("percent", "alpha_nominal", "alpha_masi")
# Alpha of a code with fewer votes means next to nothing.
FEWEST_VOTES = 10
# Only readers by the newest version of the codebook were asked for it.
NEWEST_AXIS: AxisCode = "hardware"
HEAD = "| Axis | Records | The same answer | Alpha | Alpha, MASI |\n| --- | ---: | --- | --- | --- |"

MADE = """\
# How far two passes over the curated records agree

<!-- Written by `manage.py record_agreement`; a test fails where it is not what the records say. -->

Every number here is counted from the files in `kb/starter/passes/`. A record without a file there was read once only
and is in no number.

**How the labels were made.** Both passes were made by automated readers (language models), not by people, who had the
issue's thread as far as it could be read and the codebook with its rules. The second reader saw neither the record's
text nor its labels, only the issue's address and a line to find the thread by: the record's title, its error line or
the first reader's search words. Some titles tell a cause or a fix, which may make the agreement look better than it
is. The readers did not always see the same parts of a thread: one who did not see the fix left causes and fixes open
that the other could name. Where the two differ, a third automated reader saw both answers, the record and the rules,
not the thread, and wrote the reason down; what was settled is what the record says. So these are the settled labels of
readers of one kind: what all get wrong in the same way no agreement shows. They are a beginning that annotators can
check, not a gold standard. At the end nearly every record was compared with its thread again, by an automated
reader who had not written it: texts that claimed more than the thread shows were corrected, and where a label no
longer stood, a further one decided. Many second answers of 25 November 2026 were given with two rules on causes more
than the codebook has, since taken back: that an error which names its own cause settles it, and that several people
who cured their own case confirm a cause. Records of 26 and 27 November 2026 got their second answers from a reader who
then settled what differed by the rules, compared the record with the thread and corrected it: no third one took part.
Their writers often left the theme open, as the short form allows, where the second reader gave one.

**What was changed.** A pilot came first. Rules that it found unclear were rewritten in the codebook (1.1.0), and whole
axes got rules on how to choose, among them to give few answers. First answers on most records were given before that,
second ones behind the pilot after it: this is one reason why second answers were kept more often.

**How to read the numbers.** *The same answer* is the share of records with exactly the same set of codes.
*Alpha* is Krippendorff's alpha (2011) with exactly that comparison: 1 is full agreement, 0 what chance would give.
*Alpha, MASI* credits answers that share some of their codes (Passonneau 2006); it stands only where somebody gave
several codes at once. Brackets hold 95 % bootstrap intervals over records. "Nothing", where a reader found that the
thread does not settle an axis, is an answer like any other.
"""

MIXED_UP = f"""\
Codes that at least {FEWEST_VOTES} votes name and whose alpha is below 0.667, the least that allows tentative
conclusions (Krippendorff 2004). *Mostly instead* is what the other reader said, and how often. Most of these alphas
rest on few records, and their intervals are wide."""


PILOT = """\
Can the rules be followed? Two further automated readers labelled {number} threads by version {version}, each
from the same written-up material (what was found of the thread, and the merged change where there is one) and
blind to the records, to each other and to everything else. So this measures the rules alone, where the numbers
above also tell what each reader found. Three things flatter it: both readers are of one kind, the author of the
rules had put the material together, and bugs with a merged change are in the majority. The records' own labels
are older than these rules."""


CIRCUMSTANCES = """\
Five facts of a record are no labels: who found the fault, what shows it, how its fix was tested, what tells the
cause, how far it reaches ([their rules](circumstances.md)). Two automated readers gave them, blind to each other,
each from the record's text without its labels and, where a repository's history was at hand, whether the linked
change touches tests. The records are those with the smallest digests of their addresses: a random sample. Neither
reader saw the thread, so this measures the rules and what records tell. Where the two differ, a third automated
reader decided where the text does, and otherwise left the fact open. "Nothing", where the text does not tell, is an
answer like any other. The two are of one kind, and the agreement is higher than on any label: a third one, who had
written the rules and read twenty of the records before seeing their answers, gave the first reader's word in 16 of 20
for `told_by` and in 19 of 20 for `reach`."""


class Part(NamedTuple):
    """Some of the records under one heading."""

    title: str
    passes: Sequence[Passes]


def document(
    passes: Sequence[Passes], parents: Parents, trial: Pilot | None = None, readings: Sequence[Reading] = ()
) -> str:
    """The whole text; a record without a second pass leaves it as it is.

    `parents`: (axis, code) -> the code above; `trial`: the newest rules, tried by two readers of the same material;
    `readings`: of the records' circumstances.
    """
    if not passes:
        return f"{MADE}\nNo record has had its second pass yet.\n"
    pilot = [record for record in passes if record.is_pilot]
    rest = [record for record in passes if not record.is_pilot]
    parts = [Part("All records", passes)]
    if pilot and rest:
        parts += [Part("The pilot, before rules were rewritten", pilot), Part("The records after the pilot", rest)]
    if newest := [record for record in rest if _is_asked(record, NEWEST_AXIS)]:
        parts.append(Part("Of these, read by version 1.2 of the codebook", newest))
    lines = [MADE]
    for part in parts:
        lines += [f"## {part.title}: {len(part.passes)}", "", *_tables(part.passes, parents), ""]
    if trial:
        title = f"## Two readers of the same material, by version {trial.version}: {len(trial.passes)}"
        told = PILOT.format(number=len(trial.passes), version=trial.version)
        lines += [title, "", told, "", *_tables(trial.passes, parents), ""]
    if readings:
        lines += [f"## Circumstances: {len(readings)} records", "", CIRCUMSTANCES, "", *_circumstances(readings), ""]
    lines += ["## What was settled, and how", "", *_settled(passes), ""]
    lines += ["## Codes that were mixed up", "", MIXED_UP, "", *_mixed_up(passes, parents)]
    return "\n".join(lines) + "\n"


def measured(
    passes: Sequence[Passes], parents: Parents | None = None, *, if_both_answer: bool = False
) -> Iterator[AxisReport]:
    """The agreement on every axis; with `parents`, of the topmost codes instead of those that were given.

    `if_both_answer`: only on axes of a record that neither reader left open.
    """
    for axis in AXIS_CODES:
        rows = []
        for record in (each for each in passes if _is_asked(each, axis)):
            if if_both_answer and not all(answers.get(axis) for answers in _by_reader(record).values()):
                continue
            for reader, answers in _by_reader(record).items():
                codes = set()
                for code in answers.get(axis, ()):
                    while parents and (parent := parents.get((axis, code))):
                        code = parent
                    codes.add(code)
                rows.append((record.url, reader, frozenset(codes)))
        yield report_axis(axis, tabulate(rows))


def measured_facts(readings: Sequence[Reading], *, if_both_answer: bool = False) -> Iterator[AxisReport]:
    """The agreement on every circumstance. `if_both_answer`: only where neither reader left it open."""
    for fact in FACT_KEYS:
        rows = []
        for reading in readings:
            words = {FIRST: reading.first.word(fact), SECOND: reading.second.word(fact)}
            if all(words.values()) or not if_both_answer:
                rows += [(reading.url, reader, frozenset([word] if word else [])) for reader, word in words.items()]
        yield report_axis(fact, tabulate(rows))


def _circumstances(readings: Sequence[Reading]) -> Iterator[str]:
    """Tables of the agreement on each fact, and what became of the differences."""
    yield from _table(measured_facts(readings))
    yield "\nThe same, where neither reader left the fact open:\n"
    yield from _table(measured_facts(readings, if_both_answer=True))
    yield "\n| Fact | Differing | Settled | Left open | Known in the end |\n| --- | ---: | ---: | ---: | ---: |"
    for fact in FACT_KEYS:
        differing = [each for each in readings if each.first.word(fact) != each.second.word(fact)]
        kept = sum(bool(each.outcome(fact)) for each in differing)
        known = sum(bool(each.outcome(fact)) for each in readings)
        yield f"| {fact} | {len(differing)} | {kept} | {len(differing) - kept} | {known} |"


def _is_asked(record: Passes, axis: AxisCode) -> bool:
    """Whether the readers were asked: an axis that neither file names is younger than they are."""
    return any(axis in answers for answers in _by_reader(record).values())


def _by_reader(passes: Passes) -> dict[str, Answers]:
    return {FIRST: passes.first, SECOND: passes.second.labels}


def _tables(passes: Sequence[Passes], parents: Parents) -> Iterator[str]:
    yield from _table(measured(passes))
    yield "\nThe same, where only the uppermost codes of each axis are compared:\n"
    yield from _table(measured(passes, parents))
    yield "\nThe codes that were given, where neither reader left the axis open:\n"
    yield from _table(measured(passes, if_both_answer=True))


def _table(reports: Iterable[AxisReport]) -> Iterator[str]:
    yield HEAD
    yield from (_row(report) for report in reports if report.units)


def _row(report: AxisReport) -> str:
    coefficients = {each.key: each for each in report.coefficients}
    cells = [_cell(coefficients.get(key), as_share=key == "percent") for key in KEYS]
    return f"| {report.axis} | {report.units} | {' | '.join(cells)} |"


def _cell(measured_: Coefficient | None, *, as_share: bool = False) -> str:
    if measured_ is None:
        return "–"
    if measured_.value is None:
        return f"– ({measured_.reason})"
    written = percent if as_share else coefficient
    interval = measured_.interval
    if interval is None or interval.low is None or interval.high is None:
        return written(measured_.value)
    return f"{written(measured_.value)} [{written(interval.low)}, {written(interval.high)}]"


def _settled(passes: Sequence[Passes]) -> Iterator[str]:
    """A table of whose answers were kept, by axis, and sentences on how disputes were settled."""
    kept: dict[str, Counter[str]] = {
        axis: Counter() for axis in AXIS_CODES if any(_is_asked(record, axis) for record in passes)
    }
    of_one_mind = []
    for record in passes:
        differing = set(apart(record))
        for settled in record.settled:
            if settled.axis in differing:
                kept[settled.axis][_whose(record, settled)] += 1
            else:
                of_one_mind.append(settled)
    yield "| Axis | Settled | The first was kept | The second was kept | Another answer |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for axis, counts in kept.items():
        cells = (axis, counts.total(), counts[FIRST], counts[SECOND], counts[ANOTHER])
        yield f"| {' | '.join(map(str, cells))} |"
    yield "\nThe reason of each is in its file, under `settled`."
    yield from _how_settled([settled for record in passes for settled in record.settled], of_one_mind)


def _whose(record: Passes, settled: Settled) -> str:
    """Whose answer was kept, before a later version of the codebook gave a better code."""
    kept = settled.kept if settled.recoded is None else settled.recoded
    whose = ANOTHER
    for reader, answers in _by_reader(record).items():
        if set(answers.get(settled.axis, ())) == set(kept):
            whose = reader
    return whose


def _how_settled(every: Sequence[Settled], of_one_mind: Sequence[Settled]) -> Iterator[str]:
    """Sentences on what was settled twice, read again or given a better code."""
    proposed = [settled.proposed for settled in every if settled.proposed]
    if proposed:
        number, same = len(proposed), sum(set(answer) == set(other) for answer, other in proposed)
        share = f"{percent(same / number)} (Wilson's 95 % interval {percent_range(wilson(same, number))})"
        yield (
            f"\nHow sure is what was settled? Two readers settled {number} of these disputes apart from each other "
            f"(`proposed`) and came to the same in {same}: {share}. Where they did not, a third decided by the "
            "codebook's lines. The other disputes were settled once."
        )
    if anew := sum(settled.read_on is not None for settled in every):
        later = sum(settled.read_on is not None for settled in of_one_mind)
        yield (
            f"\nAnswers that were given again after more had been read than either reader had seen (`read_on`): "
            f"{anew}, {later} of them where both had been of one mind. They change no number of agreement."
        )
    if recoded := sum(settled.recoded is not None for settled in every):
        yield (
            f"\nAnswers that a later version of the codebook has a better code for (`recoded`): {recoded}. "
            "The table counts what was kept before."
        )


def _mixed_up(passes: Sequence[Passes], parents: Parents) -> Iterator[str]:
    """A table of the codes with the least agreement; `parents` has only codes that are still in use."""
    yield "| Axis | Code | Votes | Records | Alpha | Mostly instead |\n| --- | --- | ---: | ---: | ---: | --- |"
    for report in measured(passes):
        for weak in report.weak:
            node = weak.agreement
            if node.votes >= FEWEST_VOTES and (report.axis, weak.code) in parents:
                instead = ", ".join(f"{each.code} ({percent(each.share)})" for each in weak.confused_with) or "–"
                cells = (report.axis, weak.code, node.votes, node.units, _cell(node.alpha), instead)
                yield f"| {' | '.join(map(str, cells))} |"
