"""What the search box's text means: the pure parser."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.core.search.filter_values import Value
from kb.core.search.language import LONG, MAX_CHARACTERS, BoxFilter, Query, Reference, parse, without_filter
from kb.filters.issues import SHORTHANDS
from kb.search.request import BOX_KEYS, KEYS
from tests.support.growth import MOST, growth

# Pieces that mean something to the parser, in any order and number.
PIECES = st.sampled_from(
    ["hang", "-hang", '"', "-", ":", ",", " ", "\n", "\x00", "\ud800", "symptom:", "symptom:oom", '-cause:"a b",c',
     "is:", "is:open", "--flag", "-tp 2", "..", ">", "http://", "x#1", "错误", "\\", "|", "(", "\u2028",
     "foo:bar", "has:-fix"]
)  # fmt: skip
FUZZ = st.lists(PIECES, max_size=60).map("".join) | st.text(alphabet=st.characters(), max_size=700)


def read(text: str) -> Query:
    return parse(text, BOX_KEYS)


def filters(text: str) -> list[tuple[str, str]]:
    return [(one.key, str(one.value)) for one in read(text).filters]


class TestAnyText:
    @given(FUZZ)
    def test_is_read_without_an_exception_and_can_be_shown(self, text: str) -> None:
        query = read(text)
        query.text.encode()
        assert "\x00" not in query.text
        assert len(query.text) <= MAX_CHARACTERS

    @given(FUZZ)
    def test_means_the_same_when_it_is_shown_again(self, text: str) -> None:
        once = read(text)
        assert read(once.text) == replace(once, was_cut=False)

    @given(FUZZ)
    def test_loses_exactly_the_filter_that_is_taken_away(self, text: str) -> None:
        query = read(text)
        for gone in query.filters:
            left = read(without_filter(text, BOX_KEYS, gone.key, gone.value))
            assert sorted(map(str, left.filters)) == sorted(str(one) for one in query.filters if one != gone)
            assert (left.phrases, left.exclusions) == (query.phrases, query.exclusions) or '"' in text
        assert not query.filters or not read(without_filter(text, BOX_KEYS)).filters

    @pytest.mark.parametrize(
        "text",
        [
            "x",
            '"',
            "- ",
            " ",
            "\x00",
            "a:",
            "\n",
            "x\n",
            "\ud800",
            'symptom:"',
            "-a,",
            "(",
            " \x00",
            "a b ",
            "Error: ",
            "\t",
        ],
    )
    def test_of_a_megabyte_keeps_what_is_read_and_takes_no_square_of_its_length(self, text: str) -> None:
        some = 250_000 // len(text)
        assert growth(lambda size: read(text * size), some) < MOST
        assert growth(lambda size: without_filter(text * size, BOX_KEYS), some) < MOST
        assert len(read(4 * some * text).text) <= MAX_CHARACTERS

    def test_that_is_too_long_is_cut_and_says_so(self) -> None:
        assert read("word " * 30_000).was_cut
        assert not read("word " * 1_000).was_cut

    def test_of_ten_thousand_terms_is_read_as_a_paste(self) -> None:
        assert read("-a symptom:b " * 5_000).is_paste


class TestWords:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("hang in ZeRO-3", "hang in ZeRO-3"),
            ("a-b", "a-b"),
            ('unbalanced "quote', "unbalanced quote"),
            ("- -- && ***", ""),
            ('"', ""),
            ("DataLoader(num_workers=4)", "DataLoader(num_workers=4)"),
        ],
    )
    def test_are_kept_as_typed(self, text: str, words: str) -> None:
        assert read(text) == Query(" ".join(text.split()), words)

    def test_stand_beside_phrases_and_exclusions(self) -> None:
        query = read('vllm "illegal memory access" -windows -"data loading"')
        assert query.words == "vllm"
        assert query.phrases == ("illegal memory access",)
        assert query.exclusions == ("windows", "data loading")

    def test_an_exclusion_alone_asks_for_nothing_in_particular(self) -> None:
        assert read("-hang").is_empty
        assert read("is:open").is_empty
        assert not read('"hang"').is_empty


class TestExclusions:
    @pytest.mark.parametrize("text", ["-windows", "-zero3", "-h100", "-multi-node", "-错", "-fp16"])
    def test_are_a_word_after_one_minus(self, text: str) -> None:
        assert read(f"hang {text}").exclusions == (text[1:],)

    @pytest.mark.parametrize(
        "text",
        [
            "--tensor-parallel-size 2",
            "vllm serve model --port 8000 -tp 2 -windows",
            "hang -tp 2",
            "mpirun -np 4 -host a",
            "python train.py -config x",
            "> deepspeed -master x",
            "./run.sh -verbose",
            "NCCL_DEBUG=INFO train -verbose",
            "/opt/conda/bin/python -verbose",
            "[rank0]: watchdog -verbose",
            "INFO:accelerate.accelerator:Saving -verbose",
            "WARNING:torch.distributed.run:Setting OMP_NUM_THREADS -verbose",
            "RuntimeError: invalid -size argument",
            "2024-05-01 10:00:00 worker -died",
            "-m",
            "-j8",
            "-O2",
            "-Dkey=value",
            "--windows",
            "a -1",
            "a - b",
        ],
    )
    def test_never_come_from_a_flag_a_command_or_a_log(self, text: str) -> None:
        query = read(text)
        assert query.exclusions == ()
        assert query.words == {"a - b": "a b", "> deepspeed -master x": "deepspeed -master x"}.get(text, text)


class TestFilters:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("symptom:oom", [("symptom", "oom")]),
            ("symptom:oom,hang", [("symptom", "oom"), ("symptom", "hang")]),
            ('cause:"a value",b', [("cause", '"a value"'), ("cause", "b")]),
            ('cause:"a, b"', [("cause", '"a, b"')]),
            ("-symptom:a,b", [("symptom", "-a"), ("symptom", "-b")]),
            ("symptom:a,-b", [("symptom", "a"), ("symptom", "-b")]),
            ("Symptom:OOM", [("symptom", "OOM")]),
            ("repo:a/b", [("repository", "a/b")]),
            ("node:house/hang", [("node", "house/hang")]),
            ("year:2024", [("year", "2024")]),
            ("opened:>2024-01", [("opened", ">2024-01")]),
            ("lines:<=10", [("lines", "<=10")]),
            ("closed:2024-01..2024-06", [("closed", "2024-01..2024-06")]),
            ('symptom:"oom', [("symptom", "oom")]),
            ("is:open", [("state", "open")]),
            ("-is:open", [("state", "-open")]),
            ("is:open,closed", [("state", "open"), ("state", "closed")]),
            ("is:curated is:hard is:resolved", [("curated", "true"), ("hard", "true"), ("resolved", "true")]),
            ("is:pr has:fix has:resolution", [("kind", "pull_request"), ("has_fix", "true"), ("resolved", "true")]),
        ],
    )
    def test_are_read(self, text: str, expected: list[tuple[str, str]]) -> None:
        query = read(f"hang {text}")
        assert [(one.key, str(one.value)) for one in query.filters] == expected
        assert (query.words, query.mistakes) == ("hang", ())

    @pytest.mark.parametrize(
        "text",
        ["cuda:0", "localhost:8000", "std::vector", "file.py:12", "RuntimeError: x", "http://a/b", "C:\\x", "a.b:c",
         "stage: 3", "s3://bucket", '"symtom:hang"', "torch::jit::load", "rank:0", "(error:x)"],
    )  # fmt: skip
    def test_are_not_seen_where_there_are_none(self, text: str) -> None:
        query = read(f"hang {text}")
        assert (query.filters, query.mistakes) == ((), ())

    def test_an_unknown_key_is_a_mistake_that_names_the_nearest_and_the_way_out(self) -> None:
        query = read("nccl symtom:hang is:open")
        (mistake,) = query.mistakes
        assert mistake == (
            "“symtom:” is not a filter. Nearest: “symptom:”. To search for it as text, put it in quotes: “symtom:hang”."
        ).replace("“symtom:hang”", '"symtom:hang"')
        assert (query.words, filters("nccl symtom:hang is:open")) == ("nccl", [("state", "open")])

    def test_an_unknown_shorthand_is_a_mistake_that_names_those_that_exist(self) -> None:
        assert "is:open, is:closed" in read("is:opne").mistakes[0]

    def test_a_shorthand_asks_one_question(self) -> None:
        assert "each with its own is:" in read("is:open,hard").mistakes[0]

    def test_a_key_without_a_value_yet_is_left_out_and_says_so(self) -> None:
        query = read("hang symptom:")
        assert (query.words, query.filters) == ("hang", ())
        assert "has no value yet" in query.notices[0]

    def test_a_known_filter_behind_a_pasted_error_counts_and_an_unknown_one_is_text(self) -> None:
        query = read("RuntimeError: NCCL communicator was aborted on rank:all framework:vllm")
        assert query.filters == (BoxFilter("framework", Value("vllm")),)
        assert query.words == "RuntimeError: NCCL communicator was aborted on rank:all"
        assert query.mistakes == ()

    def test_without_keys_everything_is_text(self) -> None:
        assert parse("symptom:hang symtom:x").words == "symptom:hang symtom:x"

    @pytest.mark.parametrize(("word", "name"), [(word, name) for word, known in SHORTHANDS.items() for name in known])
    def test_every_shorthand_stands_for_a_filter_that_exists(self, word: str, name: str) -> None:
        assert SHORTHANDS[word][name][0] in KEYS


class TestTakingAFilterAway:
    @pytest.mark.parametrize(
        ("key", "value", "left"),
        [
            ("symptom", "oom", 'nccl symptom:"a b" -is:open,closed "x y"'),
            ("symptom", "a b", 'nccl symptom:oom -is:open,closed "x y"'),
            ("state", "-open", 'nccl symptom:oom,"a b" -is:closed "x y"'),
            ("state", "open", 'nccl symptom:oom,"a b" -is:open,closed "x y"'),
        ],
    )
    def test_leaves_the_rest_as_it_was(self, key: str, value: str, left: str) -> None:
        gone = Value(value.removeprefix("-"), unwanted=value.startswith("-"))
        assert without_filter('nccl symptom:oom,"a b" -is:open,closed "x y"', BOX_KEYS, key, gone) == left

    def test_works_for_a_whole_key_and_for_all_of_them(self) -> None:
        text = 'a symptom:x -"b c" is:open -symptom:y z'
        assert without_filter(text, BOX_KEYS, "symptom") == 'a -"b c" is:open z'
        assert without_filter(text, BOX_KEYS) == 'a -"b c" z'


class TestPastes:
    @pytest.mark.parametrize("text", ['a -b\nsymptom:hang "x y"', "-hang symptom:oom " * (LONG // 10)])
    def test_are_text_and_nothing_else(self, text: str) -> None:
        query = read(text)
        assert query.is_paste
        assert query.words == query.text == (text if "\n" in text else text.strip())
        assert (query.phrases, query.exclusions, query.filters, query.mistakes) == ((), (), (), ())

    def test_say_when_a_filter_in_them_does_not_count(self) -> None:
        assert "symptom:hang" in read("a log\nline symptom:hang").notices[0]
        assert read("a log\nline two").notices == ()

    def test_one_line_with_white_space_around_it_is_none(self) -> None:
        assert not read("\n  hang \r\n").is_paste


class TestReferences:
    @pytest.mark.parametrize(
        ("text", "reference"),
        [
            ("DeepSpeed#5030", Reference("5030", "DeepSpeed")),
            ("deepspeedai/DeepSpeed#5030", Reference("5030", "DeepSpeed", "deepspeedai")),
            ("mindspore#I71V26", Reference("I71V26", "mindspore")),
            (
                "https://github.com/vllm-project/vllm/issues/4135#issuecomment-1",
                Reference("4135", "vllm", "vllm-project", "github.com"),
            ),
            (
                "https://gitee.com/ascend/MindSpeed/issues/IBZ414",
                Reference("IBZ414", "MindSpeed", "ascend", "gitee.com"),
            ),
            ("github.com/vllm-project/vllm/issues/4135", Reference("4135", "vllm", "vllm-project", "github.com")),
            ("torch#inductor", None),
            ("C# binding", None),
            ("#5030", None),
            ("https://github.com/vllm-project/vllm/issues/4135 hangs", None),
        ],
    )
    def test_an_exact_issue_alone_is_recognised(self, text: str, reference: Reference | None) -> None:
        assert read(text).reference == reference
