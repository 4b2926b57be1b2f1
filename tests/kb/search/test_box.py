"""What the text in the box is: a name, words, an error line or a log."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.core.search.language import parse
from kb.search.box import BoxKind, kind_of
from kb.search.request import BOX_KEYS

REFERENCES = (
    "DeepSpeed#5030",
    "vllm#99999999",
    "owner/name#7",
    "https://github.com/vllm-project/vllm/issues/3?x=1#issuecomment-1",
    "github.com/vllm-project/vllm/pull/3",
    "<https://github.com/vllm-project/vllm/issues/3>",
    "vllm-project/vllm/issues/3",
    "(DeepSpeed#5030),",
    "gitee.com/mindspore/mindspore/issues/I71V26",
    "http://127.0.0.1:8000/issues/github.com/vllm-project/vllm/3",
)
WORDS = (
    "",
    "CUDA out of memory",
    "why does my training hang at step 100?",
    "How to fix RuntimeError: CUDA error: invalid device function",
    "hang in ZeRO-3",
    "DeepSpeed ZeRO-3: hang",
    "node1: training hangs",
    "[Bug]: crash on start",
    "symptom:hang framework:deepspeed",
    "loss is nan\nfrom the first step",
    "what does exit code 137 mean",
    "RTX 4090: NCCL is slow",
    "显存不够",
    "如何解决 RuntimeError: x？",
    '"DeepSpeed#5030"',
)
ERRORS = (
    "RuntimeError: CUDA error: an illegal memory access was encountered",
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.25 GiB",
    "RuntimeError: the quantizer does not exist. Maybe its name was changed?",
    "[rank3]: the collective was never entered",
    "2026-03-02 09:14:02,118 INFO launcher: starting 4 ranks",
    "W0302 09:14:02.118000 4711 launcher.py:12] no space left",
    "(EngineCore_0 pid=4711) ERROR 03-02 09:14:02 [core.py:12] the engine failed",
    "ERROR: unexpected bus error in a worker",
    "train.cu:12: CUDA error 700",
    "Segmentation fault (core dumped)",
    "GGML_ASSERT(n_tokens <= n_batch) failed",
    '  File "train.py", line 12, in main\n    step()',
    "KeyError: 'lm_head' framework:vllm",
)
LOGS = (
    'Traceback (most recent call last):\n  File "train.py", line 1, in <module>\nValueError: no',
    "one line\nanother one\n\nand a third",
)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        *((BoxKind.REFERENCE, text) for text in REFERENCES),
        *((BoxKind.WORDS, text) for text in WORDS),
        *((BoxKind.ERROR, text) for text in ERRORS),
        *((BoxKind.LOG, text) for text in LOGS),
    ],
)
def test_real_texts(kind: BoxKind, text: str) -> None:
    assert kind_of(parse(text, BOX_KEYS)) is kind


@given(st.text(max_size=400))
def test_any_text_is_something(text: str) -> None:
    query = parse(text, BOX_KEYS)
    kind = kind_of(query)
    assert (kind is BoxKind.REFERENCE) is (query.reference is not None)
    if "\n" not in query.text:
        assert kind is not BoxKind.LOG


@given(st.lists(st.from_regex(r"[a-z][a-z ]{2,20}[a-z]", fullmatch=True), min_size=3, max_size=60))
def test_three_lines_are_a_log(lines: list[str]) -> None:
    assert kind_of(parse("\n".join(lines), BOX_KEYS)) is BoxKind.LOG


@given(st.from_regex(r"[a-z]{3,8}(?: [a-z]{3,8}){0,6}", fullmatch=True), st.sampled_from(["\n", "\r\n", "\n\n", "  "]))
def test_blank_space_around_changes_nothing(text: str, blank: str) -> None:
    assert kind_of(parse(blank + text + blank)) is kind_of(parse(text))


@given(st.sampled_from(ERRORS[:4]), st.sampled_from(["is:open", "-framework:vllm", "framework:deepspeed"]))
def test_a_filter_beside_an_error_line_leaves_it_one(line: str, choice: str) -> None:
    assert kind_of(parse(f"{line} {choice}", BOX_KEYS)) is BoxKind.ERROR
