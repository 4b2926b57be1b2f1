"""Reports are taken apart: words, logs, and the lines that tell what went wrong."""

import re
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.core.search import sections
from kb.core.search.sections import (
    ENOUGH_STRONG,
    MAX_BODY,
    MAX_LINE,
    MAX_PROSE,
    MIN_LINE,
    MOST_LINES,
    MOST_WEAK,
    split,
    telling_lines,
    without_dumps,
)
from tests.support.growth import FACTOR, MOST, growth

DUMP = """\
PyTorch version: 2.4.0+cu121
Is debug build: False
CUDA used to build PyTorch: 12.1
OS: Ubuntu 22.04.4 LTS (x86_64)
GCC version: (Ubuntu 11.4.0) 11.4.0
Libc version: glibc-2.35
Python platform: Linux-5.15.0
CUDA available: True
Model name: Intel(R) Xeon(R)
Vulnerability Meltdown: Not affected
Versions of relevant libraries:
[pip3] numpy==1.26.4
[pip3] torch==2.4.0
"""
# What names an error, as one pattern over one line.
STRONG = re.compile(
    r"(?:Error|Exception|Interrupt|Exit)[:(]|CUDA error|GGML_ASSERT|Assertion.*failed|undefined symbol"
    r"|Segmentation fault|fatal error:|: error:|what\(\):"
)
# What complains, in the same way.
WEAK = re.compile(
    r"(?ai)\b(?:ERROR|FATAL|CRITICAL|Traceback|assert(?:ion)?)\b|NCCL WARN|failed|core dumped|out of memory"
    r"|undefined reference|No module named|cannot |can't |not (?:found|supported|implemented)|unsupported|invalid"
    r"|mismatch|timed? ?out|abort|panic"
)
# Twice what two such bodies take on a busy machine, and a hundredth of what the square would take.
# Lines that complain and such that only seem to, with what may stand beside them.
PIECES = st.sampled_from([
    "error", "Error", "errors", "ERROR:", "RuntimeError: ", "assertion", "asserted", "Fatal", "cannot ", "can't",
    "failed", "FAILED", "timed out", "time out", "timeout", "not ", "found", "CUDA error", "Assertion", "Exit(",
    "é", "İ", "_", " ",
    " ", "\n", "\n", "12", "what():", "Traceback", "unsupported", "x" * 200,
])  # fmt: skip
ERROR = "RuntimeError: CUDA error: an illegal memory access was encountered"


class TestDumps:
    def test_are_cut_and_what_stands_around_is_kept(self) -> None:
        assert without_dumps(f"It stops.\n{DUMP}Please help.\n").split("\n") == ["It stops.", "", "Please help.", ""]

    def test_an_error_right_behind_one_is_kept(self) -> None:
        assert split(f"```\n{DUMP}{ERROR}\n```").telling == (ERROR,)

    def test_a_few_versions_are_no_dump(self) -> None:
        text = "PyTorch version: 2.4.0\nOS: Ubuntu\nIt hangs."
        assert without_dumps(text) == text

    def test_two_dumps_far_apart_leave_what_is_between(self) -> None:
        between = "It hangs here. " * 400
        assert between.strip() in without_dumps(f"{DUMP}{between}\n{DUMP}")

    @given(st.text(max_size=300), st.integers(0, 20))
    def test_only_ever_take_away(self, text: str, place: int) -> None:
        whole = f"{text[:place]}\n{DUMP}{text[place:]}"
        rest = iter(whole)
        assert all(character in rest for character in without_dumps(whole))


class TestMarkdown:
    def test_fences_are_log_and_the_rest_is_prose(self) -> None:
        found = split("It stops.\n```python\nloading\n```\nOften.\n```\nstep 1\n```")
        assert found.prose.split() == ["It", "stops.", "Often."]
        assert found.log.split() == ["loading", "step", "1"]

    def test_an_unclosed_fence_is_log_to_the_end(self) -> None:
        found = split(f"It stops.\n```\nloading\n{ERROR}")
        assert (found.prose, found.telling) == ("It stops.", (ERROR,))
        assert "loading" in found.log

    @pytest.mark.parametrize("body", ["```", "``````", "```\n", "x```", "```x", "```\n```\n```"])
    def test_odd_fences_do_no_harm(self, body: str) -> None:
        assert split(body).telling == ()

    @pytest.mark.parametrize(
        ("body", "prose"),
        [
            ("- [x] I searched the issues\n* [ ] not this\nIt stops.", "It stops."),
            ("<!-- fill this in -->It stops.", "It stops."),
            ("<details><summary>Log</summary>It stops.</details>", "Log It stops."),
            ("![screenshot](https://x/y.png) It stops.", "It stops."),
            ("See [the docs](https://x/y).", "See the docs ."),
            ("### Extra\n_No response_\n", "### Extra"),
        ],
    )
    def test_forms_and_pictures_are_left_out(self, body: str, prose: str) -> None:
        assert " ".join(split(body).prose.split()) == prose


class TestTellingLines:
    def test_errors_by_name_come_before_complaints(self) -> None:
        log = "WARNING something failed\nValueError: a\nTypeError: b\nKeyError: 'c'\nconnection failed"
        assert telling_lines(log) == ("ValueError: a", "TypeError: b", "KeyError: 'c'")

    def test_without_errors_by_name_complaints_count(self) -> None:
        assert telling_lines("all is well\nmodel loading failed\nbye") == ("model loading failed",)

    def test_a_line_that_differs_in_numbers_only_is_told_once(self) -> None:
        log = "\n".join(f"[rank{i}]: {ERROR} at step {i * 100}" for i in range(50))
        assert len(telling_lines(log)) == 1

    def test_of_very_many_errors_the_last_are_told(self) -> None:
        names = [f"{a}{b}Error: x" for a in "ABCDE" for b in "fghij"]
        assert telling_lines("\n".join(names)) == tuple(names[-MOST_LINES:])

    def test_a_long_line_is_cut(self) -> None:
        (line,) = telling_lines("ValueError: " + "x" * 5_000)
        assert len(line) == MAX_LINE

    @given(
        st.lists(st.text("abc xyz\t.,", max_size=60), max_size=30),
        st.lists(st.sampled_from("QWERTZUIOP"), min_size=1, max_size=MOST_LINES, unique=True),
        st.booleans(),
        st.data(),
    )
    def test_no_error_by_name_is_lost(
        self, lines: list[str], names: list[str], is_fenced: bool, data: st.DataObject
    ) -> None:
        """Wherever it stands, among dumps and prose, as long as the body is not cut."""
        errors = [f"{name}Error: went wrong" for name in names]
        for error in errors:
            lines.insert(data.draw(st.integers(0, len(lines))), error)
        body = "\n".join(lines)
        body = f"{DUMP}```\n{body}\n```" if is_fenced else f"{body}\n\n{DUMP}"
        assert set(errors) <= set(split(body).telling)

    @given(st.lists(PIECES, max_size=60).map("".join), st.integers(1, 40))
    def test_plain_strings_find_what_the_patterns_find(self, text: str, window: int) -> None:
        lines = [line for line in text.split("\n") if len(line.strip()) >= MIN_LINE]
        strong = list(once(line.strip() for line in lines if STRONG.search(line)))
        weak = [line.strip() for line in lines if len(line.strip()) <= MAX_LINE and WEAK.search(line)]
        weak = list(once(weak))[:MOST_WEAK]
        wanted = strong[-MOST_LINES:] if len(strong) >= ENOUGH_STRONG else list(once([*strong, *weak]))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sections, "WINDOW", window)
            assert telling_lines(text) == tuple(wanted)


def once(lines: Iterable[str]) -> Iterator[str]:
    """Each line once, whatever numbers it holds, and cut."""
    firsts: dict[str, str] = {}
    for line in lines:
        firsts.setdefault(re.sub(r"\d+", "0", line[-160:]), line[:MAX_LINE])
    return iter(firsts.values())


class TestLimits:
    @given(st.text(max_size=2_000) | st.text("`<>![]()-* xError:\n\r\x00", max_size=400))
    def test_never_fails_and_keeps_the_limits(self, body: str) -> None:
        found = split(body)
        assert len(found.prose) <= MAX_PROSE
        assert len(found.telling) <= MOST_LINES + 2
        assert all(line.strip() and len(line) <= MAX_LINE for line in found.telling)
        assert "\x00" not in found.prose + found.log

    @pytest.mark.parametrize(
        "piece",
        [
            "word ",
            "`",
            "```\n",
            "<",
            "<!--",
            "<p ",
            "[",
            "[a](",
            "![a](",
            "- [ ] x\n",
            "OS: x\n",
            "Error: y\n",
            "a",
            " ",
            "\n",
        ],
    )
    def test_what_is_beyond_the_largest_body_is_not_read_and_time_grows_with_the_body(self, piece: str) -> None:
        """No text takes the square of its length."""
        body = (piece * MAX_BODY)[:MAX_BODY]
        assert split(body) == split(body + ERROR)
        assert growth(lambda size: split(body[:size]), MAX_BODY // FACTOR) < MOST

    def test_prose_without_end_counts_as_log(self) -> None:
        found = split("word " * 5_000)
        assert len(found.prose) == MAX_PROSE
        assert found.log.startswith("word")
