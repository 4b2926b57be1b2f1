"""What single checks say of small panels that are made by hand."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.audit import Finding, Share, Verdict, audit
from kb.audit.counts import throw_dice
from kb.audit.dissenters import pairs_by_family
from kb.audit.host_labels import called
from kb.audit.order import runs
from kb.audit.panels import NONE, Panel, merge_answers
from kb.audit.repeats import repeated
from tests.kb.audit.panels import as_panel, dice_panel, honest_panel


def found(panel: Panel, key: str) -> Finding:
    return next(one for one in audit(panel) if one.about.key == key)


def plain(size: int = 60) -> Panel:
    return dice_panel(1, size=size, columns=5, answers=4)


class TestPullRequests:
    def test_one_known_pull_request_is_told(self) -> None:
        kinds = np.array([2] + [1] * 39 + [0] * 20)
        one = found(replace(plain(), kinds=kinds), "pull-requests")
        assert one.verdict == Verdict.LOOK_CLOSER
        assert one.said == "1 of 40 items of known kind are pull requests."
        assert "20 of 60 items are of unknown kind" in one.measured

    def test_a_set_of_pull_requests_is_what_it_says(self) -> None:
        one = found(replace(plain(), kinds=np.full(60, 2)), "pull-requests")
        assert (one.verdict, "not as reports" in one.said) == (Verdict.FINE, True)

    def test_unknown_kinds_tell_nothing(self) -> None:
        assert found(replace(plain(), kinds=np.zeros(60, dtype=int)), "pull-requests").verdict == Verdict.CANNOT_TELL

    def test_a_full_sequence_of_numbers_is_told_though_no_kind_is_known(self) -> None:
        panel = plain(2_600)
        dense = replace(panel, kinds=np.zeros(2_600, dtype=int), numbers=np.arange(2_600))
        one = found(dense, "pull-requests")
        assert one.verdict == Verdict.LOOK_CLOSER
        assert "group 0 (100 %)" in one.said
        sparse = replace(dense, numbers=np.arange(2_600) * 2)
        assert found(sparse, "pull-requests").verdict == Verdict.CANNOT_TELL


class TestRepeats:
    def test_each_later_item_is_held_against_the_first(self) -> None:
        panel = replace(plain(6), issues=np.array([7, 3, 7, 5, 7, 3]))
        first, later = repeated(panel)
        assert sorted(zip(first.tolist(), later.tolist(), strict=True)) == [(0, 2), (0, 4), (1, 5)]

    def test_another_final_label_is_told(self) -> None:
        panel = replace(plain(), issues=np.array([0, 0, *range(2, 60)]), finals=np.arange(60) % 4)
        one = found(panel, "repeats")
        assert (one.verdict, one.said) == (
            Verdict.LOOK_CLOSER, "1 item is repeated, and 1 of them have another final label.",
        )  # fmt: skip

    def test_the_same_final_label_is_fine(self) -> None:
        panel = replace(plain(), issues=np.array([0, 0, *range(2, 60)]), finals=np.zeros(60, dtype=int))
        assert found(panel, "repeats").verdict == Verdict.FINE


class TestMaintainersLabels:
    @pytest.mark.parametrize(
        ("labels", "word"),
        [
            (("bug",), 0), (("type:bug", "comp:keras"), 0), (("usage",), 1), (("feature request",), 2),
            (("bug", "question"), None), (("stale",), None), ((), None), (("debugging",), None),
        ],
    )  # fmt: skip
    def test_words_in_labels(self, labels: tuple[str, ...], word: int | None) -> None:
        assert called(labels) == word

    @pytest.mark.parametrize(("shift", "verdict"), [(0, Verdict.FINE), (1, Verdict.LOOK_CLOSER)])
    def test_labels_that_go_together_are_fine_and_others_not(self, shift: int, verdict: Verdict) -> None:
        names = (("bug",), ("question",))
        finals = np.arange(400) % 2
        labels = tuple(names[(place // (1 + shift)) % 2] for place in range(400))
        panel = replace(dice_panel(1, size=400, answers=2), finals=finals, host_labels=labels)
        assert found(panel, "maintainers-labels").verdict == verdict


class TestDissenters:
    def test_only_two_within_the_family_count(self) -> None:
        votes = np.array([[0, 0, 0, 1, 1], [0, 0, 0, 1, 2], [0, 0, 0, 1, 3], [0, 0, 0, 0, 1], [3, 3, 3, 4, 4]])
        panel = as_panel(votes, np.array([0, 0, 0, 0, 3]), 6, per_family=3)
        assert pairs_by_family(panel) == [("F0", Share(1, 2), 2), ("F1", Share(1, 1), 2)]


class TestDice:
    @pytest.mark.parametrize("top", [2, 3, 6])
    def test_the_model_has_the_rates_that_were_seen(self, top: int) -> None:
        random = np.random.default_rng(5)
        differs = random.random((4_000, 6)) < np.array([0.0, 0.05, 0.1, 0.15, 0.2, 0.25])
        kept = differs[differs.sum(axis=1) <= top]
        model = throw_dice(kept, top)
        assert model.items.sum() == pytest.approx(len(kept))
        assert (model.items * np.arange(7)).sum() == pytest.approx(kept.sum(), rel=1e-6)
        assert model.items[top + 1 :].sum() == 0
        assert model.variance == pytest.approx(kept.sum(axis=1).var(), rel=0.1)

    def test_what_lies_beyond_the_stop_is_what_was_left_out(self) -> None:
        random = np.random.default_rng(6)
        differs = random.random((50_000, 7)) < 0.18
        left_out = (differs.sum(axis=1) > 3).sum()
        model = throw_dice(differs[differs.sum(axis=1) <= 3], 3)
        assert model.beyond == pytest.approx(left_out, rel=0.1)


def test_runs_of_a_known_sequence() -> None:
    excess, variance = runs(np.array([1, 1, 0, 0, 0, 1, 0, 1], dtype=bool))
    assert excess == pytest.approx(5 - 5)
    assert variance == pytest.approx(12 / 7)


@settings(max_examples=30)
@given(st.integers(0, 5_000), st.randoms(use_true_random=False))
def test_names_of_columns_and_answers_do_not_matter(seed: int, random: Random) -> None:
    panel = honest_panel(seed)
    order = list(range(len(panel.answers)))
    random.shuffle(order)
    code = np.array([*order, NONE])  # NONE is the last place
    renamed = replace(
        panel,
        answers=tuple(f"answer {place}" for place in np.argsort(order)),
        votes=code[panel.votes],
        finals=code[panel.finals],
    )
    ours = {one.about.key: (one.verdict, one.said) for one in audit(panel)}
    theirs = {one.about.key: (one.verdict, one.said) for one in audit(renamed)}
    for key in ("dissent-by-column", "final-is-a-column", "column-copies", "dissenters-agree", "spread-of-dissent"):
        assert ours[key] == theirs[key]


def test_several_answers_to_a_cell_become_one() -> None:
    names = ["a", "b", "c"]
    cells, given_ = merge_answers(cells=np.array([4, 2, 4, 9, 9]), given=np.array([1, 0, 0, 0, 1]), names=names)
    assert dict(zip(cells.tolist(), [names[one] for one in given_.tolist()], strict=True)) == {
        2: "a", 4: "a + b", 9: "a + b",
    }  # fmt: skip
    assert names == ["a", "b", "c", "a + b"]


def test_a_panel_whose_parts_do_not_belong_together_is_refused() -> None:
    panel = plain()
    for change in ({"votes": panel.votes[:-1]}, {"kinds": panel.kinds[1:]}, {"families": ("one",)}):
        with pytest.raises(ValueError, match=r"each|vote"):
            replace(panel, **change)
