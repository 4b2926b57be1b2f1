"""Checks the final labels against the labels that maintainers put on the same issues."""

import re
from collections import Counter

import numpy as np

from kb.audit.findings import About, Line, Reading, Table, Verdict, chance, untold
from kb.audit.panels import NONE, Panel
from kb.audit.prevalence import cramer
from kb.audit.votes import FEWEST, family_places
from kb.core.chances import chi_square_above

WEAK = 0.1
ENOUGH = 300
WORDS = (
    ("bug", re.compile(r"\bbugs?\b|\bdefect|\bcrash|\berror", re.IGNORECASE)),
    ("question", re.compile(r"\bquestion|\busage\b|\bhelp\b|\bsupport\b|\bhow[ -]to", re.IGNORECASE)),
    ("request", re.compile(r"\bfeature|\benhancement|\brequest|\bproposal|\brfc\b|\broadmap", re.IGNORECASE)),
)
ABOUT = About(
    key="maintainers-labels",
    title="Against maintainers' labels",
    question="Do the final labels go together with what the repository's maintainers called the same issues?",
    expected="Maintainers and annotators have different schemes but read the same report: their labels go together.",
    proves="No association shows that labels do not say what maintainers saw in the same issues.",
    proves_not=(
        "Maintainers' labels are not ground truth: templates set many of them. Issues without exactly one of "
        "the words bug, question or request among their labels are excluded."
    ),
)


def check(panel: Panel) -> Reading:
    """Cramér's V and Pearson's chi-square of the final label's group against bug, question or request."""
    names, place = family_places(panel)
    by_family = len(names) > 1
    table: Counter[tuple[int, int]] = Counter()
    for final, labels in zip(panel.finals.tolist(), panel.host_labels, strict=True):
        word = called(labels)
        if final != NONE and word is not None:
            table[int(place[final]) if by_family else final, word] += 1
    n = table.total()
    if n < FEWEST:
        why = f"Maintainers' labels that say bug, question or request are known of {n:,} items: too few."
        return untold(ABOUT, why)
    rows = names if by_family else panel.answers
    counts = np.zeros((len(rows), len(WORDS)), dtype=np.int64)
    for (row, word), number in table.items():
        counts[row, word] = number
    v = cramer(counts)
    freedom = (int((counts.sum(axis=1) > 0).sum()) - 1) * (int((counts.sum(axis=0) > 0).sum()) - 1)
    measured = f"Cramér's V {v:.3f}, n = {n:,} items"
    lines = tuple(Line(name, tuple(row)) for name, row in zip(rows, counts.tolist(), strict=True) if any(row))
    tables = (Table("Items by final label and maintainers' label", "Final", tuple(word for word, _ in WORDS), lines),)
    if freedom < 1:
        return untold(ABOUT, "All of these items carry the same label, so nothing can be compared.", measured, tables)
    smallest = min(int(counts.any(axis=1).sum()), int(counts.any(axis=0).sum())) - 1
    p = chi_square_above(v * v * n * smallest, freedom)
    measured += f"; {chance(p)} if they had nothing to do with each other."
    if n >= ENOUGH and v < WEAK:
        sentence = f"Final labels hardly go together with maintainers' labels (Cramér's V {v:.2f})."
        return Reading(ABOUT, Verdict.LOOK_CLOSER, sentence, measured=measured, tables=tables)
    if v < WEAK:
        return untold(ABOUT, f"The association is weak and {n:,} items are too few to tell.", measured, tables)
    sentence = f"Final labels go together with maintainers' labels (Cramér's V {v:.2f})."
    return Reading(ABOUT, Verdict.FINE, sentence, measured=measured, tables=tables)


def called(labels: tuple[str, ...]) -> int | None:
    """The place in `WORDS` of the one word among a host's labels; None for none or several."""
    places = []
    for place, (_, pattern) in enumerate(WORDS):
        if any(pattern.search(label) for label in labels):
            places.append(place)
    return places[0] if len(places) == 1 else None
