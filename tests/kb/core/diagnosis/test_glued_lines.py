"""What several processes wrote into one line is read apart, and each part is its writer's."""

import pytest

from kb.core.diagnosis.parsing.prefixes import parse_prefix
from kb.core.diagnosis.report import FAILURE
from tests.kb.core.diagnosis.lines import best, diagnosis_of, read_texts

BAR = " 14%|█▍        | 364/2724 [13:20:57<86:19:20, 132.41s/it]"


def test_two_ranks_in_one_line_are_two_writers() -> None:
    lines = [
        *(f"[rank{rank}]: step {number} | loss: 2.5 | step_time: 1.0s" for number in range(9) for rank in range(2)),
        "[rank0]: step 9 | loss: 2.5 | step_time: 1.0s[rank3]: torch.OutOfMemoryError: CUDA out of memory.[rank1]: bye",
    ]
    found = diagnosis_of("\n".join(lines))
    assert (found.verdict, best(found).line, best(found).text) == (
        FAILURE,
        19,
        "torch.OutOfMemoryError: CUDA out of memory.",
    )
    assert (found.ranks[0].name, found.iteration) == ("3", 9)


def test_tracebacks_that_run_into_each_other_are_joined_rank_by_rank() -> None:
    lines = [
        "[rank3]: Traceback (most recent call last):[rank1]: Traceback (most recent call last):",
        '[rank3]:   File "a.py", line 3, in run[rank1]:   File "a.py", line 3, in run',
        "[rank3]: KeyError: 'a'[rank1]: ValueError: b",
    ]
    emitters = {emitter.fields.get("rank"): emitter for emitter in read_texts({"a": "\n".join(lines)}).scan.emitters}
    assert {rank: emitter.lines for rank, emitter in emitters.items()} == {"3": 3, "1": 3}
    assert diagnosis_of("\n".join(lines)).verdict == FAILURE


@pytest.mark.parametrize(
    "line", ["[rank3]: see [rank1]: above", "[rank3]:[rank1]: x", "[rank3]: [rank1]: x", "say [rank1]:x"]
)
def test_a_rank_that_is_spoken_of_writes_nothing(line: str) -> None:
    scan = read_texts({"a": "\n".join([line] * 3)}).scan
    assert sum(emitter.lines for emitter in scan.emitters) == 3


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("[2026-03-04 02:11:27,827] [INFO] [scaler.py:18:step] OVERFLOW!", "INFO"),
        ("Traceback (most recent call last):", "UNKNOWN"), ("torch.cuda.OutOfMemoryError: x", "UNKNOWN"),
        ("ERROR: x", "ERROR"), ("W0304 02:11:27.827123 812 x.py:3] x", "WARNING"), ("[rank3]: x", "UNKNOWN"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("job", ["", "Epoch 3: "])
def test_a_bar_is_no_part_of_what_is_written_behind_it(text: str, level: str, job: str) -> None:
    found, bare = parse_prefix(f"{job}{BAR}{text}"), parse_prefix(text)
    assert (found.text, found.level.name) == (bare.text, level)


def test_the_step_of_such_a_bar_is_known() -> None:
    bars = [f"{number}%|# | {number}/99 [00:01<00:02, 1.00s/it]" for number in range(1, 60)]
    end = ["Traceback (most recent call last):", '  File "a.py", line 3, in run', "KeyError: 'ids'"]
    found = diagnosis_of("\n".join([*bars[:-1], bars[-1] + end[0], *end[1:]]))
    assert (found.verdict, found.iteration, best(found).line) == (FAILURE, 59, 61)


def test_a_bar_alone_is_left_whole() -> None:
    for line in (BAR, f"Loading shards: {BAR}", f"{BAR} loss 2.5", f"{BAR}{{'loss': 2.5}}"):
        assert parse_prefix(line).body == 0


def test_each_part_says_no_more_than_its_writer_wrote() -> None:
    scan = read_texts({"a": "[rank3]: alpha[rank1]: beta[default2]: gamma"}).scan
    assert [template.occurrences[0].text for template in scan.templates] == ["alpha", "beta", "gamma"]
