"""Made-up panels for the audit: honest people of differing skill on items of differing difficulty, and cheats."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kb.audit import Verdict, audit
from kb.audit.panels import NONE, Panel

Votes = NDArray[np.int64]
ACCUSED = {Verdict.NOT_INDEPENDENT, Verdict.LOOK_CLOSER}


def as_panel(votes: Votes, finals: Votes, answers: int, *, groups: int = 1, per_family: int = 0) -> Panel:
    """A panel of issues that are known to be issues, each once, far apart in their numbers."""
    size, columns = votes.shape
    zeros = np.zeros(size, dtype=np.int64)
    families = (f"F{place // (per_family or answers)}" for place in range(answers))
    return Panel(
        columns=tuple(f"Annotator {number + 1}" for number in range(columns)),
        answers=tuple(f"answer {place}" for place in range(answers)),
        families=tuple(families),
        votes=votes,
        finals=finals,
        groups=np.arange(size) * groups // size,
        group_names=tuple(f"group {place}" for place in range(groups)),
        issues=np.arange(size),
        kinds=zeros + 1,
        numbers=np.arange(size) * 10,
        repositories=zeros,
        host_labels=((),) * size,
    )


def honest_panel(seed: int) -> Panel:
    """People who read for themselves.

    Each has a skill; items differ in difficulty; each answer is confused with a few others more than with the rest, and
    each item leans to one wrong answer of its own. Sizes, numbers of people and of answers, ways to the final label
    (majority, only majorities kept, an expert) and gaps differ from panel to panel.
    """
    random = np.random.default_rng(seed)
    size, columns = int(random.integers(120, 1_500)), int(random.choice([3, 4, 5, 6, 7]))
    answers = int(random.choice([2, 4, 6, 10, 12]))
    truth = random.choice(answers, size=size, p=random.dirichlet(np.full(answers, 2.0)))
    wrong = random.dirichlet(np.full(answers - 1, 0.5), size=answers)
    lures = _other(truth, wrong, random)
    difficulty = random.beta(0.8, 3.2, size=size)
    care = random.uniform(0.4, 1.2, size=columns)
    errs = random.random((size, columns)) < np.clip(difficulty[:, None] * care, 0, 0.75)
    to_lure = random.random((size, columns)) < 0.5
    spread = np.stack([_other(truth, wrong, random) for _ in range(columns)], axis=1)
    votes = np.where(errs, np.where(to_lure, lures[:, None], spread), truth[:, None])
    way = random.integers(3)
    finals = majority(votes, answers, random)
    if way == 1:
        kept = (votes == finals[:, None]).sum(axis=1) * 2 > columns
        votes, finals, truth = votes[kept], finals[kept], truth[kept]
    elif way == 2:
        slips = random.random(len(finals)) < 0.02
        finals = np.where(slips, random.integers(answers, size=len(finals)), truth)
    if random.random() < 0.3:
        votes = np.where(random.random(votes.shape) < 0.1, NONE, votes)
    return as_panel(votes, finals, answers, groups=int(random.integers(1, 5)))


def majority(votes: Votes, answers: int, random: np.random.Generator) -> Votes:
    """The commonest answer; ties are drawn."""
    counts = np.stack([(votes == answer).sum(axis=1) for answer in range(answers)], axis=1)
    return np.asarray((counts + random.random(counts.shape) * 0.5).argmax(axis=1))


def with_final_of(panel: Panel, column: int) -> Panel:
    """The final labels are one column's votes."""
    return replace(panel, finals=panel.votes[:, column])


def with_copy(panel: Panel, seed: int, *, noise: float = 0.02) -> Panel:
    """The last column is the first one with a little noise."""
    random = np.random.default_rng(seed)
    votes = panel.votes.copy()
    changed = random.random(panel.size) < noise
    votes[:, -1] = np.where(changed, random.integers(len(panel.answers), size=panel.size), votes[:, 0])
    return replace(panel, votes=votes)


def dice_panel(seed: int, *, size: int = 2_000, columns: int = 7, answers: int = 10) -> Panel:
    """Nobody read anything: columns throw dice on whether to differ from the final label, and to which sibling."""
    random = np.random.default_rng(seed)
    finals = random.integers(answers, size=size)
    differs = random.random((size, columns)) < random.uniform(0.08, 0.2, size=columns)
    others = (finals[:, None] + random.integers(1, answers, size=(size, columns))) % answers
    return as_panel(np.where(differs, others, finals[:, None]), finals, answers)


def whole_honest_panel(seed: int, *, size: int = 1_000, columns: int = 6) -> Panel:
    """An honest panel big enough to tell, with all votes and the majority as final label."""
    for more in range(10_000):
        panel = honest_panel(seed * 10_000 + more)
        if len(panel.columns) == columns and panel.size >= size and len(panel.answers) > 3 and (panel.votes >= 0).all():
            return panel
    raise AssertionError("no such panel came up")


def accused(panel: Panel) -> set[str]:
    """The checks that do not find the panel fine."""
    return {one.about.key for one in audit(panel) if one.verdict in ACCUSED}


def _other(truth: Votes, wrong: NDArray[np.float64], random: np.random.Generator) -> Votes:
    """For each item an answer that is not the true one, by how often that one is confused with each."""
    cumulated = wrong.cumsum(axis=1)[truth]
    place = (random.random(len(truth))[:, None] > cumulated[:, :-1]).sum(axis=1)
    return np.asarray(place + (place >= truth))
