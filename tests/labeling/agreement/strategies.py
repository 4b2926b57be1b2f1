"""Random tables of votes for properties."""

import random

from hypothesis import strategies as st

from labeling.agreement import SEED, Coefficient, VoteTable, report_axis, tabulate
from labeling.agreement.votes import Row

CODES = "abcd"


@st.composite
def rows(draw: st.DrawFn, *, most: int = 1, least_votes: int = 0, complete: bool = False) -> list[Row]:
    """Rows of up to four annotators on up to twelve units; answers of up to `most` nodes, or none of them."""
    answers = st.frozensets(st.sampled_from(CODES), min_size=0 if most > 1 else 1, max_size=most)
    units, annotators = draw(st.integers(1, 12)), draw(st.integers(2 if complete else 1, 4))
    cells = [(f"u{unit}", f"r{annotator}") for unit in range(units) for annotator in range(annotators)]
    votes = answers if complete else st.none() | answers
    drawn: list[Row] = [(*cell, vote) for cell in cells if (vote := draw(votes)) is not None]
    return drawn if len(drawn) >= least_votes else [("u0", "r0", frozenset("a")), ("u0", "r1", frozenset("b"))]


def seeded(seed: int, *, units: int, annotators: int, codes: str = CODES, missing: float = 0.0) -> VoteTable:
    """A table with some agreement: each unit has a right answer that two votes of three give."""
    chance = random.Random(seed)  # noqa: S311
    made: list[Row] = []
    for unit in range(units):
        right = chance.choice(codes)
        for annotator in range(annotators):
            code = right if chance.random() < 2 / 3 else chance.choice(codes)
            if chance.random() >= missing:
                made.append((unit, f"r{annotator}", frozenset(code)))
    return tabulate(made, units=range(units))


def coefficients(table: VoteTable) -> dict[str, Coefficient]:
    """All coefficients over all annotators, by key, without intervals."""
    return {one.key: one for one in report_axis("axis", table, CODES, samples=0).coefficients}


def coefficient(table: VoteTable, key: str, *, order: str = "", samples: int = 0, seed: int = SEED) -> Coefficient:
    """One of the coefficients over all annotators."""
    return report_axis("axis", table, tuple(order), samples=samples, seed=seed).coefficient(key)
