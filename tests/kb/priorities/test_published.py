"""The published orders: they name themes that the codebook has, and say no more than the study does."""

from kb.codebook.load import read_codebook
from kb.models import SurveyAnswer, SurveyPlace, Trust
from kb.priorities.published import PublishedOrder, ordinal, published
from kb.priorities.survey import BOTH, EXPERIENCES, ROLES, Audience, Ranked, measure, tally


def order_of(slug: str) -> PublishedOrder:
    return next(order for order in published().orders if order.slug == slug)


class TestFile:
    def test_names_themes_of_the_codebook_once_each_and_in_their_group(self) -> None:
        codebook = read_codebook()
        themes = {node.code for axis in codebook.house.axes if axis.code == "theme" for node in axis.nodes}
        for order in published().orders:
            assert len(set(order.themes)) == len(order.themes)
            assert set(order.themes) <= {code for code in themes if code.startswith(f"{order.group}.")}
        assert published().study in {study.slug for study in codebook.studies}

    def test_orders_are_told_apart_and_trusted_as_the_codebook_says(self) -> None:
        slugs = [order.slug for order in published().orders]
        assert len(set(slugs)) == len(slugs)
        assert {order.trust for order in published().orders} <= set(Trust.values)

    def test_says_the_same_as_the_facts_on_the_studys_page(self) -> None:
        (study,) = (study for study in read_codebook().studies if study.slug == published().study)
        facts = {fact.name: fact.value for fact in study.facts if fact.name.startswith("Priority")}
        written = {
            "Priority of questions (developers)": " > ".join(order_of("developers-questions").themes),
            "Priority of requirements (developers and users)": " > ".join(order_of("everybody-requirements").themes),
            "Priority of bugs (novice users)": ", ".join(order_of("novice-users-bugs").themes),
            "Priority of bugs (experienced users)": ", ".join(order_of("experienced-users-bugs").themes),
        }
        assert written.items() <= facts.items()
        tiers = {tier.name: set(tier.themes) for tier in order_of("developers-bugs").tiers}
        told = dict(part.split(" ", 1) for part in facts["Priority of bugs (developers)"].split("; "))
        assert tiers == {name: set(codes.split(", ")) for name, codes in told.items()}


class TestOrder:
    def test_positions_are_told_in_words(self) -> None:
        assert order_of("developers-questions").position_words("A.1") == "2nd"
        assert order_of("developers-bugs").position_words("C.7") == "medium"
        assert order_of("developers-bugs").position_words("C.9") == "not named"
        assert [ordinal(number) for number in (1, 4, 11)] == ["1st", "4th", "11th"]

    def test_what_is_not_named_comes_last_or_is_unknown(self) -> None:
        items = ("C.1", "C.2", "C.9")
        assert order_of("developers-bugs").comparable(items) == (("C.1", 1), ("C.2", 1))
        assert order_of("novice-users-bugs").comparable(items) == (("C.1", 1), ("C.2", 2), ("C.9", 2))


class TestAudience:
    def test_knows_the_same_words_as_the_tables(self) -> None:
        assert {*ROLES[1:], BOTH} == set(SurveyAnswer.Role.values)
        assert set(EXPERIENCES[1:]) == set(SurveyAnswer.Experience.values)
        assert {order.group for order in published().orders} == set(SurveyPlace.Group.values)

    def test_who_is_both_counts_among_either(self) -> None:
        assert Audience("user").has("both", "under_1")
        assert Audience("developer", "over_3").has("both", "over_3")
        assert not Audience("developer").has("user", "over_3")
        assert not Audience(experience="over_3").has("user", "under_1")


class TestTally:
    def test_fewer_than_five_say_nothing(self) -> None:
        found = measure([("a", "b")] * 4, ("a", "b", "c"))
        assert (found.raters, found.themes, found.agreement) == (4, (), None)

    def test_themes_that_are_gone_are_left_out_and_who_ranked_only_those_does_not_count(self) -> None:
        found = measure([("gone", "b", "a")] * 5 + [("gone",)], ("a", "b", "c"))
        assert found.raters == 5
        assert [(row.code, row.rank.mean, row.placed_by) for row in found.themes] == [
            ("b", 1, 5),
            ("a", 2, 5),
            ("c", 3, 0),
        ]

    def test_orders_are_compared_with_their_own_people(self) -> None:
        users = [Ranked("user", "under_1", "A", ("A.4", "A.2", "A.1", "A.3"))] * 9
        developers = [Ranked("developer", "over_3", "A", ("A.3", "A.1", "A.2", "A.4"))] * 5
        items = {"A": ("A.1", "A.2", "A.3", "A.4")}
        found = tally([*users, *developers], items, published().orders, answers=14, excluded=1)
        compared = found.comparisons["developers-questions"]
        assert compared is not None
        assert (compared.raters, compared.tau) == (5, 1)
        assert found.comparisons["novice-users-bugs"] is None
        assert found.groups[Audience(), "A"].raters == 14
        assert found.groups[Audience("user", "under_1"), "A"].raters == 9
