"""Which categories a query names: by name, alias or code; what is denied or mentioned in passing does not count."""

import pytest

from kb.core.search.normalise import words
from kb.search.naming import CAUSE, COMPONENT, SYMPTOM, Category, Naming, NodeBook, Phrase

HANG, TIMEOUT = Category(SYMPTOM, "hang"), Category(SYMPTOM, "hang-collective")
OOM, MEMORY = Category(SYMPTOM, "oom-gpu"), Category(SYMPTOM, "memory")
EXCEPTION, NAN, SLOW = Category(SYMPTOM, "exception"), Category(SYMPTOM, "non-finite"), Category(SYMPTOM, "slow")
DOCS, DOCS_PAGES = Category(SYMPTOM, "misleading-docs"), Category(COMPONENT, "docs-examples")
ZERO, NCCL, TOKENIZER = (
    Category(COMPONENT, "zero-3"),
    Category(COMPONENT, "collectives"),
    Category(COMPONENT, "tokenizer"),
)
MISMATCH = Category(CAUSE, "collective-mismatch")
BOOK = NodeBook(
    [
        Phrase("Hang", HANG),
        Phrase("stuck", HANG),
        Phrase("no progress", HANG),
        Phrase("卡住", HANG),
        Phrase("nccl timeout", TIMEOUT),
        Phrase("Hang in a collective", TIMEOUT),
        Phrase("oom", OOM),
        Phrase("cuda out of memory", OOM),
        Phrase("显存不够", OOM),
        Phrase("memory", MEMORY, is_short=True),
        Phrase("out of memory", MEMORY),
        Phrase("runtimeerror", EXCEPTION),
        Phrase("importerror", EXCEPTION),
        Phrase("nan", NAN),
        Phrase("slow", SLOW, is_short=True),
        Phrase("docs", DOCS),
        Phrase("docs", DOCS_PAGES),
        Phrase("zero stage 3", ZERO),
        Phrase("nccl", NCCL),
        Phrase("tokenizer", TOKENIZER),
        Phrase("removed in", MISMATCH),
        Phrase("ranks disagree", MISMATCH),
    ],
    parents={TIMEOUT: HANG, OOM: MEMORY},
    everyday=[Phrase("frozen solid", HANG), Phrase("out of memory", NAN), Phrase("killed", OOM, is_short=True)],
)


def naming(text: str, **frameworks: str) -> Naming:
    """What the text names; `frameworks`: their names in the text by slug."""
    sequence = words(text)
    places = {slug: {sequence.index(word)} for slug, word in frameworks.items()}
    return BOOK.naming(text, frameworks=places)


def named(text: str, **frameworks: str) -> dict[str, tuple[str, ...]]:
    return dict(naming(text, **frameworks).categories)


class TestNames:
    @pytest.mark.parametrize(
        ("text", "symptom"),
        [
            ("hang", "hang"),
            ("training hangs", "hang"),
            ("it hung after a day", "hang"),
            ("makes no progress", "hang"),
            ("NCCL timeout", "hang-collective"),
            ("NCCL_TIMEOUT", "hang-collective"),
            ("it hangs in the collective", "hang-collective"),
            ("CUDA OOM", "oom-gpu"),
            ("cuda out-of-memory at step 3", "oom-gpu"),
            ("训练时显存不够怎么办", "oom-gpu"),
            ("训练卡住", "hang"),
        ],
    )
    def test_are_found_in_any_form(self, text: str, symptom: str) -> None:
        assert named(text)[SYMPTOM] == (symptom,)

    def test_the_longest_counts(self) -> None:
        assert named("CUDA out of memory") == {SYMPTOM: ("oom-gpu",)}
        assert named("out of memory") == {SYMPTOM: ("memory",)}

    def test_everyday_words_count_after_the_codebooks_own(self) -> None:
        assert named("frozen solid") == {SYMPTOM: ("hang",)}
        assert named("out of memory") == {SYMPTOM: ("memory",)}
        assert named("killed") == {SYMPTOM: ("oom-gpu",)}
        assert named("killed by my colleague without asking") == {}

    def test_a_narrower_category_takes_the_place_of_its_group(self) -> None:
        assert named("stuck with an NCCL timeout") == {SYMPTOM: ("hang-collective",)}

    def test_a_symptom_may_be_named_with_a_component(self) -> None:
        assert named("hang in ZeRO-3") == {SYMPTOM: ("hang",), COMPONENT: ("zero-3",)}

    def test_what_most_of_the_text_names_comes_first(self) -> None:
        assert named("nan or cuda out of memory")[SYMPTOM] == ("oom-gpu", "non-finite")

    def test_a_misspelt_word_counts_as_the_one_that_was_meant(self) -> None:
        assert BOOK.naming("traning stuk", repaired={"stuk": "stuck"}).categories == {SYMPTOM: ("hang",)}

    def test_nothing_names_nothing(self) -> None:
        assert naming("") == Naming()
        assert named("react useEffect loop") == {}


class TestPassing:
    @pytest.mark.parametrize(
        "text",
        [
            "does not hang",
            "doesn't hang",
            "doesn’t really hang",
            "no longer hangs",
            "never seems to hang",
            "instead of hanging",
            "没有卡住",
            "不是卡住",
        ],
    )
    def test_what_is_denied_is_not_named(self, text: str) -> None:
        assert named(text) == {}

    @pytest.mark.parametrize("text", ["not hanging but slow", "slow, not OOM", "slow and without NaN"])
    def test_what_is_said_besides_is(self, text: str) -> None:
        assert named(text) == {SYMPTOM: ("slow",)}

    @pytest.mark.parametrize("text", ["model not loading, OOM", "cannot start: OOM", "does not work OOM"])
    def test_another_word_may_be_denied(self, text: str) -> None:
        assert named(text) == {SYMPTOM: ("oom-gpu",)}

    def test_a_component_in_passing_names_nothing(self) -> None:
        assert named("how to speed up my tokenizer for Japanese text") == {}
        assert named("tokenizer speed") == {COMPONENT: ("tokenizer",)}

    def test_a_short_word_must_be_most_of_the_text(self) -> None:
        assert named("memory") == {SYMPTOM: ("memory",)}
        assert named("memory utilization setting of a server") == {}

    def test_an_identifier_is_not_taken_apart(self) -> None:
        assert named("nan_to_num gives an answer") == {}

    def test_anybodys_error_yields_to_a_better_word(self) -> None:
        assert named("RuntimeError: CUDA out of memory") == {SYMPTOM: ("oom-gpu",)}
        assert named("ImportError, then NaN") == {SYMPTOM: ("non-finite",)}
        assert named("RuntimeError") == {SYMPTOM: ("exception",)}

    def test_a_word_of_two_questions_yields_too(self) -> None:
        assert named("docs") == {SYMPTOM: ("misleading-docs",), COMPONENT: ("docs-examples",)}
        assert named("docs for ZeRO-3") == {COMPONENT: ("zero-3",)}

    def test_a_phrase_is_more_than_its_words(self) -> None:
        assert named("removed it") == {}
        assert named("removed in") == {CAUSE: ("collective-mismatch",)}


class TestFrameworks:
    def test_are_named_beside_and_are_no_part_of_what_is_said(self) -> None:
        asked = naming("vllm tokenizer", vllm="vllm")
        assert asked.categories == {COMPONENT: ("tokenizer",)}
        assert (asked.frameworks, asked.share) == (("vllm",), 1.0)

    @pytest.mark.parametrize("text", ["NCCL timeout", "NCCL_TIMEOUT"])
    def test_within_a_longer_name_are_none(self, text: str) -> None:
        assert naming(text, nccl="nccl") == Naming({SYMPTOM: ("hang-collective",)}, (), 1.0)

    def test_that_name_a_component_too_are_one_where_nothing_else_is_named(self) -> None:
        assert naming("NCCL", nccl="nccl") == Naming({COMPONENT: ("collectives",)}, (), 1.0)
        assert naming("hang in NCCL", nccl="nccl") == Naming({SYMPTOM: ("hang",)}, ("nccl",), 1.0)
