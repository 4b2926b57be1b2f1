"""Passages of a text with the query's words marked, as they were written."""

from hypothesis import given
from hypothesis import strategies as st

from kb.core.search.normalise import run_words, words
from kb.core.search.snippets import LONGEST, LONGEST_WORD, Piece, passage

TEXT = st.text(max_size=300) | st.lists(
    st.sampled_from(["hang", "hangs,", "in", "ZeRO-3", "all_reduce()", "<b>x</b>", "显存溢出", "end.", "\n", "&amp;"]),
    max_size=90,
).map(" ".join)
WANTED = st.sets(st.sampled_from(words("hang ZeRO-3 all_reduce 显存溢出 b x amp")), max_size=6)


def written(pieces: tuple[Piece, ...]) -> str:
    return "".join(piece.text for piece in pieces)


def hits(pieces: tuple[Piece, ...]) -> list[str]:
    return [piece.text for piece in pieces if piece.is_hit]


class TestMarks:
    def test_forms_and_parts_of_identifiers_are_marked_as_they_were_written(self) -> None:
        found = passage("Training hangs in dist.all_reduce for ever.", {"hang", "reduc"})
        assert hits(found) == ["hangs", "dist.all_reduce"]

    def test_other_forms_and_signs_between_letters_are_no_hindrance(self) -> None:
        assert hits(passage("Then dist.all_reduce never ends.", set(words("allreduce")))) == ["dist.all_reduce"]
        assert hits(passage("It hung, workers are dying.", set(words("hang die")))) == ["hung", "dying"]
        assert hits(passage("Retries of memory", set(words("retry memories")))) == ["Retries", "memory"]

    def test_without_a_word_of_the_query_there_is_no_passage(self) -> None:
        assert passage("Nothing of it here.", {"hang"}) == ()
        assert passage("", {"hang"}) == passage("It hangs.", set()) == ()

    def test_markup_stays_text(self) -> None:
        """Nothing is interpreted here: who shows a piece must escape it, and gets it as it was."""
        found = passage("<script>alert(1)</script> hangs & <b>waits</b>", {"hang"})
        assert "<script>" not in hits(found)
        assert written(found).endswith("hangs & <b>waits</b>")

    def test_chinese_is_marked(self) -> None:
        assert hits(passage("训练时 显存溢出 报错", set(words("溢出")))) == ["显存溢出"]


class TestChoice:
    def test_the_passage_with_most_different_words_is_shown(self) -> None:
        text = "It hangs. " + "Filler words. " * 60 + "It hangs in ZeRO-3 with offload."
        assert hits(passage(text, {"hang", "offload"})) == ["hangs", "offload"]

    def test_of_equals_the_earliest(self) -> None:
        text = "First it hangs. " + "Filler words. " * 60 + "Then it hangs."
        assert written(passage(text, {"hang"})).startswith("First it hangs.")

    def test_what_is_left_out_is_told_but_not_between_sentences(self) -> None:
        before, behind = "one two three four five six seven eight nine ten ", " nine ten" * LONGEST
        assert written(passage(f"{before}hangs{behind}", {"hang"})).startswith("… ")
        assert written(passage(f"{before}hangs{behind}", {"hang"})).endswith(" …")
        assert written(passage("It hangs.", {"hang"})) == "It hangs."


class TestProperties:
    @given(TEXT, WANTED)
    def test_pieces_join_to_a_part_of_the_text(self, text: str, wanted: set[str]) -> None:
        assert written(passage(text, wanted)).removeprefix("… ").removesuffix(" …") in text

    @given(TEXT, WANTED)
    def test_every_hit_is_a_word_of_the_query_and_a_passage_has_one(self, text: str, wanted: set[str]) -> None:
        found = passage(text, wanted)
        assert bool(found) == bool(hits(found))
        assert all(set(run_words(hit)) & wanted for hit in hits(found))
        assert all(piece.text for piece in found)

    @given(st.integers(0, 400), st.sampled_from([" ", "", ", "]))
    def test_no_passage_is_long(self, place: int, gap: str) -> None:
        text = gap.join(" hangs " if i == place else "word" for i in range(500))
        found = passage(text, {"hang"})
        assert hits(found) == ["hangs"]
        assert len(written(found)) <= LONGEST + LONGEST_WORD + 4

    def test_a_word_that_is_longer_than_a_passage_is_cut(self) -> None:
        found = passage("it " + "a/" * 40 + "hang_" * 200, {"hang"})
        assert hits(found)[0].startswith("hang_hang")
        assert len(written(found)) <= LONGEST + LONGEST_WORD + 4
