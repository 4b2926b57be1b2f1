"""The order of the best matches: what stands where it matters, and never against plain sense."""

import math
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from kb.core.search.closeness import WEIGHTS, is_close, measures
from kb.core.search.features import Merits, pack
from kb.core.search.lexicon import node_name
from kb.core.search.ranking import DEPTH, Need, boost, judge, lack, make_need, rank
from kb.core.search.values import Candidate

ASKED = ("hang", "zero3", "alpha", "beta")
OTHERS = ("one", "two", "three", "four", "five")
WEIGHT = 3.0
NONE = Merits()
BEST = Merits(curated=True, resolved=True, fix=True, readers=10_000)


def need(asked: Sequence[str] = ASKED, *, frameworks: Sequence[str] = (), lost: float = 0.0) -> Need:
    return make_need(asked, dict.fromkeys(asked, WEIGHT), dict.fromkeys(frameworks, ()), lost)


def candidate(
    pk: int = 1,
    *,
    title: Sequence[str] = (),
    text: Sequence[str] = (),
    score: float = 1.0,
    framework: str = "vllm",
    merits: Merits = NONE,
    nodes: Sequence[str] = (),
    faces: Sequence[str] = (),
) -> Candidate:
    parts = {"title": " ".join(title), "ours": "", "text": " ".join(text), "telling": ""}
    return Candidate(pk, score, "", pack(**parts, framework=framework, merits=merits, nodes=nodes, faces=faces))


def score(one: Candidate, asked: Need | None = None) -> float:
    return judge(asked or need(), one).score


WORDS = st.lists(st.sampled_from((*ASKED, *OTHERS)), max_size=8)
MERITS = st.builds(Merits, st.booleans(), st.booleans(), st.booleans(), st.integers(0, 10_000))


class TestFit:
    @settings(max_examples=1_000)
    @given(WORDS, WORDS, st.sampled_from(ASKED))
    def test_more_of_the_question_in_the_title_never_lowers_the_score(
        self, title: list[str], text: list[str], word: str
    ) -> None:
        assert score(candidate(title=[word, *title], text=text)) >= score(candidate(title=title, text=text)) - 1e-9

    @given(WORDS, WORDS, st.sampled_from(ASKED))
    def test_nor_does_more_of_it_at_the_end_of_the_text(self, title: list[str], text: list[str], word: str) -> None:
        more = candidate(title=title, text=[*text, word])
        assert score(more) >= score(candidate(title=title, text=text)) - 1e-9

    @given(WORDS, st.floats(0, 50), st.floats(0, 50))
    def test_a_higher_score_of_the_engine_never_lowers_it(self, title: list[str], some: float, more: float) -> None:
        low, high = sorted((some, more))
        assert score(candidate(title=title, score=high)) >= score(candidate(title=title, score=low))

    def test_a_title_says_more_than_the_text(self) -> None:
        assert score(candidate(title=["hang"])) > score(candidate(text=["hang"]))

    def test_another_word_for_the_same_counts_but_less_than_the_word(self) -> None:
        the_word, another, nothing = (candidate(title=[word]) for word in ("hang", "deadlock", "one"))
        assert score(the_word) > score(another) > score(nothing)

    def test_so_does_a_label_that_the_word_names(self) -> None:
        label = node_name("symptom", "hang")
        labelled, nothing = candidate(title=["one"], nodes=[label]), candidate(title=["one"])
        assert score(candidate(title=["hang"])) > score(labelled) > score(nothing)

    def test_a_word_is_not_found_inside_another_one(self) -> None:
        assert score(candidate(title=["alphabet"])) == score(candidate(title=["one"]))

    def test_a_rare_word_counts_more(self) -> None:
        asked = make_need(["alpha", "beta"], {"alpha": 5.0, "beta": 1.0})
        assert score(candidate(title=["alpha"]), asked) > score(candidate(title=["beta"]), asked)


class TestFrameworks:
    def test_an_issue_of_another_framework_that_speaks_of_the_named_one_is_not_put_last(self) -> None:
        asked = make_need(["bitsandbyt", "hang"], {"bitsandbyt": 5.0, "hang": 3.0}, {"bitsandbytes": [0]})
        about, other = (candidate(title=["hang", word]) for word in ("bitsandbyt", "one"))
        assert judge(asked, about).measures["framework"] == 0
        assert judge(asked, other).measures["framework"] == -1

    def test_the_framework_that_is_named_comes_first_and_others_last(self) -> None:
        named = need(frameworks=["vllm"])
        ours, theirs = candidate(title=["hang"]), candidate(title=["hang"], framework="sglang")
        assert score(ours, named) > score(ours) == score(theirs) > score(theirs, named)


class TestFaces:
    @given(WORDS, WORDS, st.lists(WORDS, max_size=3))
    def test_another_face_never_lowers_a_score(self, title: list[str], text: list[str], faces: list[list[str]]) -> None:
        more = candidate(title=title, text=text, faces=[" ".join(face) for face in faces if face])
        assert score(more) >= score(candidate(title=title, text=text)) - 1e-9

    def test_one_that_says_all_of_the_question_counts_nearly_as_the_title_does(self) -> None:
        titled, faced = candidate(title=ASKED), candidate(title=["one"], faces=["two", " ".join(ASKED)])
        text = candidate(title=["one"], text=ASKED)
        assert score(titled) > score(faced) > score(text)

    def test_words_of_several_faces_do_not_add_up(self) -> None:
        one, several = candidate(faces=["hang zero3", "two"]), candidate(faces=["hang zero3", "alpha beta"])
        assert score(one) == score(several)

    def test_a_question_that_is_a_face_is_close_and_one_that_shares_a_word_with_each_is_not(self) -> None:
        whole = candidate(title=["one"], faces=[" ".join(ASKED)], score=4 * WEIGHT)
        strewn = candidate(title=["one"], faces=[f"{word} two three" for word in ASKED], score=0.5)
        assert is_close(need(), [judge(need(), whole)])
        assert not is_close(need(), [judge(need(), strewn)])


class TestBoosts:
    @given(WORDS, MERITS)
    def test_never_lower_a_score(self, title: list[str], merits: Merits) -> None:
        plain = candidate(title=title, merits=Merits(curated=merits.curated))
        assert score(candidate(title=title, merits=merits)) >= score(plain)

    def test_decide_between_equals(self) -> None:
        plain, fixed = candidate(2, title=["hang"]), candidate(1, title=["hang"], merits=Merits(fix=True))
        assert [one.candidate.id for one in rank(need(), [plain, fixed])] == [1, 2]

    @given(MERITS, st.floats(0, 1))
    def test_are_smaller_than_any_real_difference_of_fit(self, merits: Merits, fit: float) -> None:
        """One word in four of the question in the title outweighs all merits of an issue that has no more of it."""
        assert boost(merits, fit) <= boost(BEST, fit)
        assert boost(BEST, 0.25) < score(candidate(title=["alpha"])) - score(candidate(title=["one"]))

    def test_of_issues_that_fit_alike_a_described_one_comes_before_a_mirrored_one_with_a_higher_score(self) -> None:
        mirrored = candidate(2, title=ASKED, score=12.0)
        described = candidate(1, title=ASKED, score=9.0, merits=Merits(curated=True))
        solved = candidate(3, title=ASKED, score=8.0, merits=Merits(curated=True, resolved=True, fix=True))
        assert [one.candidate.id for one in rank(need(), [mirrored, described, solved])] == [3, 1, 2]

    @given(MERITS)
    def test_do_not_bring_what_fits_half_before_what_fits_in_full(self, merits: Merits) -> None:
        half, full = candidate(2, title=ASKED[:2], merits=merits), candidate(1, title=ASKED)
        assert [one.candidate.id for one in rank(need(), [half, full])] == [1, 2]


class TestLack:
    def test_a_described_issue_that_is_called_otherwise_comes_after_a_mirrored_one_with_the_same_words(self) -> None:
        mirrored = candidate(1, title=["one"], text=ASKED[:3])
        described = candidate(2, title=["one"], text=ASKED[:3], merits=Merits(curated=True))
        assert [match.candidate.id for match in rank(need(), [described, mirrored])] == [1, 2]

    def test_an_error_line_or_another_face_of_it_counts_as_what_it_is_called(self) -> None:
        described = Merits(curated=True)
        named = candidate(title=["one"], text=ASKED[:3], merits=described)
        faced = candidate(title=["one"], text=ASKED[:3], faces=[" ".join(ASKED[:3])], merits=described)
        assert score(faced) > score(candidate(title=["one"], text=ASKED[:3])) > score(named)

    @given(WORDS, WORDS)
    def test_nothing_is_taken_from_what_is_only_mirrored(self, title: list[str], text: list[str]) -> None:
        match = judge(need(), candidate(title=title, text=text))
        assert lack(NONE, match.measures["title"]) == 0


class TestOrder:
    @given(st.lists(st.tuples(WORDS, st.sampled_from([0.5, 1.0, 2.0])), max_size=12), st.randoms(use_true_random=False))
    def test_does_not_depend_on_the_order_of_candidates(self, made, chance) -> None:  # type: ignore[no-untyped-def]
        candidates = [candidate(pk, title=title, score=bm25) for pk, (title, bm25) in enumerate(made, 1)]
        shuffled = candidates[:]
        chance.shuffle(shuffled)
        assert rank(need(), candidates) == rank(need(), shuffled)

    def test_of_equals_the_newer_comes_first(self) -> None:
        found = rank(need(), [candidate(pk, title=["hang"]) for pk in (3, 1, 2)])
        assert [one.candidate.id for one in found] == [3, 2, 1]

    def test_beyond_the_depth_the_engines_order_stays(self) -> None:
        first = [candidate(pk, title=["one"]) for pk in range(DEPTH)]
        rest = [candidate(1_000 + pk, title=ASKED, score=99.0) for pk in (3, 1, 2)]
        found = rank(need(), [*first, *rest])
        assert [one.candidate for one in found[DEPTH:]] == rest
        assert all(one.score == -math.inf for one in found[DEPTH:])

    @given(st.lists(st.text("abc ", max_size=4), max_size=5), st.lists(st.floats(0, 9), max_size=9))
    def test_no_question_is_too_odd(self, asked: list[str], scores: list[float]) -> None:
        candidates = [candidate(pk, score=bm25) for pk, bm25 in enumerate(scores)]
        assert len(rank(need(asked), candidates)) == len(candidates)


class TestCloseness:
    def test_what_answers_everything_is_close_and_what_answers_nothing_is_not(self) -> None:
        answers = judge(need(), candidate(title=ASKED, text=ASKED, score=4 * WEIGHT))
        assert is_close(need(), [answers])
        assert not is_close(need(), [judge(need(), candidate(title=["one"], score=0.1))])

    def test_the_more_of_the_question_is_unheard_of_the_farther_it_is(self) -> None:
        found = candidate(title=ASKED[:2], text=ASKED[:2], score=2 * WEIGHT)
        known = [judge(need(lost=lost), found).measures["known"] for lost in (0.0, WEIGHT, 100 * WEIGHT)]
        assert known == sorted(known, reverse=True)
        assert not is_close(need(lost=100 * WEIGHT), [judge(need(lost=100 * WEIGHT), found)])

    def test_an_engine_that_measures_nothing_is_believed(self) -> None:
        assert is_close(need(), rank(need(), [candidate()] * (DEPTH + 1))[-1:])

    def test_an_answer_to_one_word_of_seven_is_not_close(self) -> None:
        one = need(ASKED[:1], lost=6 * WEIGHT)
        assert not is_close(one, [judge(one, candidate(title=ASKED[:1], text=ASKED[:1], score=WEIGHT))])

    def test_all_that_was_asked_is_close_however_common_its_words_are(self) -> None:
        common = make_need(ASKED, dict.fromkeys(ASKED, 0.1))
        whole, part = (candidate(title=words, score=0.1) for words in (ASKED, ASKED[:3]))
        assert is_close(common, [judge(common, whole)])
        assert not is_close(common, [judge(common, part)])

    def test_a_paste_is_judged_by_its_telling_lines(self) -> None:
        frames = [f"frame{number}" for number in range(6)]
        paste = need([*frames, *ASKED])
        found = [judge(paste, candidate(title=ASKED, text=ASKED, score=4 * WEIGHT))]
        assert not is_close(paste, found)
        assert is_close(paste, found, ASKED)
        assert is_close(paste, found, ["nowhere"]) == is_close(paste, found)

    def test_half_of_a_long_description_is_more_than_half_of_a_few_words(self) -> None:
        words = [f"word{number}" for number in range(12)]
        few, many = need(words[:4]), need(words)
        halves = [judge(asked, candidate(title=["one"], text=words[:half])) for asked, half in ((few, 2), (many, 6))]
        short, long = (
            sum(WEIGHTS[name] * value for name, value in measures(asked, half).items())
            for asked, half in zip((few, many), halves, strict=True)
        )
        assert long > short
