"""The words of a text: what falls apart, what is folded, what is dropped. Documents and queries alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.core.search import normalise
from kb.core.search.normalise import (
    ANSI,
    BITS,
    MAX_DIGITS,
    MAX_RUN,
    TIME,
    URL,
    ZERO,
    joined_words,
    run_words,
    runs,
    stem,
    words,
    written,
)

ANY_TEXT = st.text(max_size=400) | st.text("aZ_.-+/:0x9 \n\t\x1b[m你好한の・é²\ud800", max_size=200)
# Times, web addresses, ZeRO's stages and bits, whole and in pieces.
NOTATIONS = st.lists(
    st.sampled_from(["2024-05-01", "T", " ", "12:34", ":56", "7-12", "3", "ZeRO", "zero", "Stage", "-", "_", "\n", "8",
                     "bits", "BIT", "bItS", "a", "http", "s://", "x/y", "٣", "\x1b[0m", "é"]),
    max_size=12,
).map("".join)  # fmt: skip


class TestIdentifiers:
    @pytest.mark.parametrize("spelling", ["all_reduce", "allReduce", "AllReduce", "all-reduce", "ALL_REDUCE"])
    def test_meet_however_they_are_joined(self, spelling: str) -> None:
        assert set(words("allreduce")) <= set(words(spelling))
        assert set(words("all reduce")) <= set(words(spelling))

    def test_are_kept_whole_before_their_parts(self) -> None:
        assert words("ZeroOptimizer_Stage3") == ["zerooptimizerstage3", "zero", "optim", "stage3"]
        assert words("CUDA_ERROR_ILLEGAL_ADDRESS") == ["cudaerrorillegaladdress", "cuda", "error", "illeg", "address"]
        assert words("RuntimeError") == ["runtimeerror", "runtim", "error"]

    def test_an_abbreviation_before_a_name_falls_off(self) -> None:
        assert words("NCCLError") == ["ncclerror", "nccl", "error"]

    @pytest.mark.parametrize("path", ["/opt/deepspeed/runtime/zero/stage3.py", r"C:\deepspeed\runtime\stage3.py"])
    def test_a_paths_parts_are_words(self, path: str) -> None:
        assert set(words("deepspeed runtime stage3 py")) <= set(words(path))

    def test_a_flag_is_its_words(self) -> None:
        assert words("--tensor-parallel-size 2") == ["tensorparallels", "tensor", "parallel", "size", "2"]
        assert words("--tensor_parallel_size=2") == words("--tensor-parallel-size 2")


class TestFolding:
    @pytest.mark.parametrize(
        "spelling", ["ZeRO-3", "zero3", "zero stage 3", "ZeRO Stage-3", "Zero_3", "zero-stage3", "ZERO  stage_3"]
    )
    def test_zero_3_is_one_word(self, spelling: str) -> None:
        assert words(spelling) == ["zero3"]

    @pytest.mark.parametrize("text", ["zero 30", "nonzero 3", "zero-day", "zero stages"])
    def test_other_zeros_are_not(self, text: str) -> None:
        assert "zero3" not in words(text)

    @pytest.mark.parametrize("spelling", ["4-bit", "4bit", "4 bits", "4 Bit"])
    def test_bits_are_one_word(self, spelling: str) -> None:
        assert words(spelling) == ["4bit"]

    @pytest.mark.parametrize(("text", "word"), [("v0.6.3", "0.6.3"), ("0.6.3.post1", "0.6.3.post1"), ("12.1", "12.1")])
    def test_a_version_is_one_word(self, text: str, word: str) -> None:
        assert words(text) == [word]

    @pytest.mark.parametrize("forms", [("hang", "hangs", "hanging", "hung"), ("freeze", "freezes", "froze", "frozen")])
    def test_forms_of_a_word_are_one(self, forms: tuple[str, ...]) -> None:
        assert len({tuple(words(form)) for form in forms}) == 1

    def test_what_stop_lists_drop_is_kept_for_error_texts(self) -> None:
        assert words("not implemented") == ["not", "implement"]


class TestNoise:
    @pytest.mark.parametrize(
        "noise",
        [
            "0x7f3a2b4c5d6e", "0xDEADBEEF", "2024-05-01", "2024-05-01 12:34:56", "2024-05-01T12:34:56.789Z", "12:34:56",
            "05-01 12:34:56", "550e8400-e29b-41d4-a716-446655440000", "d41d8cd98f00b204e9800998ecf8427e",
            "https://github.com/a/b/issues/1", "\x1b[31m\x1b[0m", "1234567", "。！？", "--- === ***",
        ],
    )  # fmt: skip
    def test_is_dropped(self, noise: str) -> None:
        assert words(f"before {noise} after") == ["befor", "after"]

    @pytest.mark.parametrize("kept", ["0x1f", "H100", "70b", "8192", "a100", "deadbeef", "cu121"])
    def test_short_codes_are_not_noise(self, kept: str) -> None:
        assert words(kept)

    def test_runs_of_two_machines_give_the_same_words(self) -> None:
        here = "[rank0]:[E1121 08:11:52.123 ProcessGroupNCCL.cpp:616] at 0x7fff5fbff8a0, 2024-01-02 03:04:05"
        there = "[rank0]:[E0203 19:22:01.987 ProcessGroupNCCL.cpp:616] at 0x55d0aa10b2c4, 2025-11-30 23:59:59"
        assert set(words(here)) ^ set(words(there)) <= {"e1121", "e0203"}


class TestChinese:
    def test_is_cut_into_pairs(self) -> None:
        assert words("显存溢出") == ["显存", "存溢", "溢出"]
        assert words("卡") == ["卡"]

    def test_stands_beside_latin_words_without_blanks(self) -> None:
        assert words("使用vLLM时卡住") == ["使用", *words("vLLM"), "时卡", "卡住"]

    @given(st.text("显存溢出报错卡住训练", min_size=2, max_size=12), st.text("显存溢出报错", max_size=6))
    def test_a_part_is_found_in_the_whole(self, part: str, rest: str) -> None:
        assert set(words(part)) <= set(words(part + rest))


class TestProperties:
    @given(ANY_TEXT)
    def test_never_fails_and_gives_words_without_blanks(self, text: str) -> None:
        for word in words(text):
            assert word
            assert word == word.lower() or not word.isascii()
            assert not any(map(str.isspace, word))
            assert len(word) <= MAX_RUN

    @given(ANY_TEXT)
    def test_words_are_those_of_the_runs(self, text: str) -> None:
        assert words(text) == [word for run in runs(text) for word in run]
        assert [run for run in map(run_words, written(text)) if run] == runs(text)

    @given(NOTATIONS)
    def test_what_is_looked_for_beforehand_leaves_nothing_out(self, text: str) -> None:
        plain = TIME.sub(b" ", URL.sub(b" ", ANSI.sub(b" ", text.encode("utf-8", "surrogatepass"))))
        plain = BITS.sub(rb"\1bit", ZERO.sub(rb"zero\1", plain))
        assert normalise._without_noise(text) == plain

    @given(ANY_TEXT, st.integers(1, 12))
    def test_joined_they_are_the_same(self, text: str, most: int) -> None:
        assert joined_words(text, most) == " ".join(words(text)[:most])

    def test_a_crowd_of_words_takes_no_more_memory(self, monkeypatch: pytest.MonkeyPatch) -> None:
        chunks = normalise._Chunks()
        monkeypatch.setattr(normalise, "MOST_CHUNKS", 10)
        monkeypatch.setattr(normalise, "_words_of_chunk", chunks.__getitem__)
        for number in range(30):
            assert words(f"hangs on gpu{number}") == ["hang", "on", f"gpu{number}"]
            assert len(chunks) <= 10
        words("y" * 1_000)
        assert b"y" * 1_000 not in chunks

    @given(st.lists(st.from_regex(r"[a-z]{1,12}(?:_[a-z]{1,8}){0,2}|[A-Z][a-z]{2,8}[A-Z][a-z]{2,8}", fullmatch=True)))
    def test_blanks_and_signs_around_do_not_matter(self, some: list[str]) -> None:
        assert words(" ".join(some)) == words(",\n".join(some)) == words("".join(f"({one}) " for one in some))

    @given(st.integers(0, 10 ** (MAX_DIGITS + 3)))
    def test_only_short_numbers_are_words(self, number: int) -> None:
        assert words(str(number)) == ([str(number)] if len(str(number)) <= MAX_DIGITS else [])

    @given(st.sampled_from(["hang", "training", "all_reduce", "stage3.py", "ZeRO-3", "RuntimeError", "显存溢出"]))
    def test_a_query_finds_the_document_that_says_the_same(self, said: str) -> None:
        """Both go through one function, whatever stands around."""
        assert set(words(said)) <= set(words(f"In {said}, since 2024-05-01"))

    def test_a_long_run_is_cut(self) -> None:
        assert words("x" * 10_000) == [stem("x" * MAX_RUN)]

    @given(st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=12))
    def test_a_word_that_is_typed_as_it_is_indexed_meets_itself_or_its_stem(self, word: str) -> None:
        """Stemming twice may shorten once more, so it is done once, on both sides, from what was written."""
        (found,) = words(word)
        assert words(word.upper()) == words(word.title()) == [found]
