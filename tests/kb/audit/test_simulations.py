"""Honest panels are accused of anything in at most 5 % of cases; copied and thrown ones are found in at least 95 %."""

from dataclasses import replace

import numpy as np
import pytest

from kb.audit import Verdict, audit
from kb.audit.panels import NONE, Panel
from tests.kb.audit.panels import accused, dice_panel, honest_panel, whole_honest_panel, with_copy, with_final_of

HONEST, CHEATS = 240, 40
WANTED_POWER = 0.95


def test_honest_people_are_rarely_accused() -> None:
    found = {seed: checks for seed in range(HONEST) if (checks := accused(honest_panel(seed)))}
    assert len(found) <= 0.05 * HONEST, found


def test_honest_panels_are_such_that_votes_can_be_told_of() -> None:
    """Else the test above would prove nothing: checks of votes that never tell accuse nobody."""
    told: dict[str, int] = {}
    for seed in range(40):
        for one in audit(honest_panel(seed)):
            told[one.about.key] = told.get(one.about.key, 0) + (one.p is not None)
    for key in ("final-is-a-column", "prevalence", "item-order", "spread-of-dissent", "dissent-by-column"):
        assert told[key] >= 10, (key, told)
    assert told["dissenters-agree"] >= 5
    assert told["dissents-per-item"] >= 5


def test_a_final_label_that_is_one_column_is_found() -> None:
    found = [accused(with_final_of(whole_honest_panel(seed), seed % 6)) for seed in range(CHEATS)]
    assert sum("final-is-a-column" in checks for checks in found) >= WANTED_POWER * CHEATS


def test_a_copied_column_is_found() -> None:
    found = [accused(with_copy(whole_honest_panel(seed), seed)) for seed in range(CHEATS)]
    assert sum("column-copies" in checks for checks in found) >= WANTED_POWER * CHEATS


def test_dissent_that_is_thrown_is_found() -> None:
    found = [accused(dice_panel(seed)) for seed in range(CHEATS)]
    assert sum("spread-of-dissent" in checks for checks in found) >= WANTED_POWER * CHEATS


def test_columns_in_the_order_of_their_dissent_are_found() -> None:
    found = []
    for seed in range(CHEATS):
        panel = whole_honest_panel(seed, columns=7)
        rates = (panel.votes != panel.finals[:, None]).mean(axis=0)
        found.append(accused(replace(panel, votes=panel.votes[:, np.argsort(rates)])))
    assert sum("dissent-by-column" in checks for checks in found) >= WANTED_POWER * CHEATS


def test_neatly_alternating_dissent_is_found() -> None:
    panel = whole_honest_panel(1)
    any_dissent = (panel.votes != panel.finals[:, None]).any(axis=1)
    yes, no = np.flatnonzero(any_dissent), np.flatnonzero(~any_dissent)
    size = min(len(yes), len(no))
    order = np.stack([yes[:size], no[:size]], axis=1).ravel()
    assert "item-order" in accused(_reordered(panel, order))


def test_who_saw_only_what_one_had_marked_is_found() -> None:
    random = np.random.default_rng(3)
    first = (random.random(1_200) < 0.12).astype(np.int64)
    others = [np.where(random.random(1_200) < 0.6, first, 0) for _ in range(2)]
    votes = np.stack([first, *others], axis=1)
    panel = replace(dice_panel(1, size=1_200, columns=3, answers=2), votes=votes, finals=(votes.sum(axis=1) > 1) * 1)
    assert "prevalence" in accused(panel)


@pytest.mark.parametrize("columns", [0, 1, 2, 3])
@pytest.mark.parametrize("size", [0, 1, 29])
def test_little_is_told_of_little(size: int, columns: int) -> None:
    zeros = np.zeros(size, dtype=np.int64)
    panel = Panel(
        columns=tuple("abc"[:columns]), answers=("x", "y"), families=("f", "f"),
        votes=np.zeros((size, columns), dtype=np.int64), finals=zeros, groups=zeros, group_names=("g",),
        issues=np.arange(size), kinds=zeros, numbers=zeros + NONE, repositories=zeros, host_labels=((),) * size,
    )  # fmt: skip
    verdicts = {one.about.key: one.verdict for one in audit(panel)}
    assert verdicts.pop("repeats") == Verdict.FINE
    assert set(verdicts.values()) == {Verdict.CANNOT_TELL}


def _reordered(panel: Panel, order: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Panel:
    rows = ("votes", "finals", "groups", "issues", "kinds", "numbers", "repositories")
    kept = {name: getattr(panel, name)[order] for name in rows}
    return replace(panel, **kept, host_labels=tuple(panel.host_labels[place] for place in order.tolist()))
