"""Published tables of votes, each with its source, and ways to write a table down."""

from collections.abc import Sequence

from labeling.agreement import VoteTable, tabulate
from labeling.agreement.votes import Row

Cell = str | None


def rows_of(matrix: Sequence[Sequence[Cell]]) -> list[Row]:
    """Rows of a matrix of units x annotators; None is missing, `a+b` is two nodes, an empty text tells nothing."""
    return [
        (f"u{unit}", f"r{annotator}", frozenset(filter(None, cell.split("+"))))
        for unit, cells in enumerate(matrix)
        for annotator, cell in enumerate(cells)
        if cell is not None
    ]


def table_of(*units: str) -> VoteTable:
    """One text per unit, its votes apart by blanks; `.` is missing."""
    return tabulate(rows_of([[None if cell == "." else cell for cell in unit.split()] for unit in units]))


def by_annotator(*annotators: str) -> VoteTable:
    """One text per annotator, a sign per unit; `.` is missing."""
    return table_of(*(" ".join(column) for column in zip(*annotators, strict=True)))


def crossed(counts: Sequence[Sequence[int]]) -> VoteTable:
    """Two annotators' contingency table; categories are called 0, 1, ..."""
    pairs = [
        (str(first), str(second))
        for first, row in enumerate(counts)
        for second, times in enumerate(row)
        for _ in range(times)
    ]
    return tabulate(rows_of(pairs))


# Fleiss, Psychological Bulletin 76 (1971), table 1: 30 patients, six psychiatrists each. How many chose: depression,
# personality disorder, schizophrenia, neurosis, other.
FLEISS_1971 = (
    "00060", "03003", "01401", "00006", "03030", "20400", "00402", "20310", "20040", "00006",
    "10050", "11040", "03300", "10050", "02031", "00501", "30012", "51000", "02040", "10203",
    "00006", "01050", "02013", "20040", "10041", "05010", "40002", "02040", "10500", "00006",
)  # fmt: skip


def fleiss_1971() -> VoteTable:
    """The table; which psychiatrist chose what was not published."""
    units = ("".join(code * int(times) for code, times in zip("DPSNO", unit, strict=True)) for unit in FLEISS_1971)
    return table_of(*(" ".join(unit) for unit in units))


# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), examples A, B and C.
KRIPPENDORFF_A = ("0100000010", "1110010000")
KRIPPENDORFF_B = ("aabbdcccedda", "babbbccceddd")
# C is also Gwet's table of four raters (Handbook of Inter-Rater Reliability, 2014).
KRIPPENDORFF_C = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
