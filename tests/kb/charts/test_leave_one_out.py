"""Causes told by other reports of the same symptom: by hand, and against counting each report out anew."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from kb.charts.leave_one_out import Group, Told, leave_one_out

NAMES = st.frozensets(st.sampled_from("abcd"), max_size=2)
GROUPS = st.lists(st.builds(Group, NAMES, NAMES, st.integers(1, 4)), max_size=8)


def test_a_report_is_told_by_the_others_of_its_symptom() -> None:
    hangs, crashes = ({"hang"}, {"crash"})
    groups = [
        Group(hangs, {"network"}, 3, hangs), Group(hangs, {"data"}, 1, hangs), Group(crashes, {"data"}, 5, crashes)
    ]  # fmt: skip
    told = leave_one_out(groups).by_group
    assert (told["hang"].first, told["hang"].reports) == (3, 4)
    assert (told["crash"].first, told["crash"].commonest) == (5, 5)


def test_a_report_does_not_tell_itself() -> None:
    groups = [Group({"hang"}, {"network"}, 1), Group({"crash"}, {"data"}, 1)]
    assert leave_one_out(groups).together == Told(reports=2)


def test_reports_without_a_symptom_or_a_cause_are_no_reports() -> None:
    assert leave_one_out([Group(set(), {"data"}, 3), Group({"hang"}, set(), 2)]).together == Told()


def by_hand(reports: list[tuple[frozenset[str], frozenset[str]]]) -> tuple[int, int]:
    first = three = 0
    for place, (symptoms, causes) in enumerate(reports):
        others = reports[:place] + reports[place + 1 :]
        overall = Counter(cause for _, theirs in others for cause in theirs)
        votes = Counter(cause for symptom in symptoms for has, theirs in others if symptom in has for cause in theirs)
        ranked = sorted(overall, key=lambda cause: (-votes[cause], -overall[cause], cause))
        first += bool(causes & set(ranked[:1]))
        three += bool(causes & set(ranked[:3]))
    return first, three


@given(GROUPS)
def test_is_what_counting_each_report_out_gives(groups: list[Group]) -> None:
    reports = []
    for group in groups:
        if group.symptoms and group.causes:
            reports += [(frozenset(group.symptoms), frozenset(group.causes))] * group.reports
    told = leave_one_out(groups).together
    assert (told.first, told.three) == by_hand(reports)
    assert told.reports == len(reports)
