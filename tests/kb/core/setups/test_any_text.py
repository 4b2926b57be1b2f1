"""No text makes reading fail, and none takes more than its length: pieces of forms, cut and mixed, and hostile runs."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.core.setups.facts import Setup
from kb.core.setups.reading import read_setup
from kb.core.setups.vocabulary import vocabulary
from tests.kb.core.setups import runs, texts

EVERY: list[str] = sorted(value for name, value in (vars(texts) | vars(runs)).items() if name.isupper())
LINES = sorted({line for text in EVERY for line in text.split("\n")})
SIGNS = st.text(alphabet="[](){}<>`'\"\\$=:-#|,.&*!%@~ \n\tab01", max_size=30)

lines = st.one_of(st.sampled_from(LINES), SIGNS, st.text(max_size=20))
mixed = st.lists(lines, max_size=40).map("\n".join)


@st.composite
def cut(draw: st.DrawFn) -> str:
    """A known text with a piece cut out and another put in."""
    text: str = draw(st.sampled_from(EVERY))
    start = draw(st.integers(0, len(text)))
    end = draw(st.integers(start, len(text)))
    return text[:start] + draw(SIGNS) + text[end:]


def check(setup: Setup) -> None:
    assert setup.sources
    for name, fact in setup.facts.items():
        assert not vocabulary()[name].problem_with(fact.value), (name, fact)
    for name, package in setup.packages.items():
        assert name == package.name


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(mixed, cut()), min_size=1, max_size=3))
def test_every_text_is_read(contents: list[str]) -> None:
    check(read_setup([(f"text {number}", content) for number, content in enumerate(contents)]))


HOSTILE = (
    *"([{}`='\"\\$<>|#-",
    "- ",
    "a: &a [*a]\n",
    "a: {",
    "? ",
    "a.",
    "a.b(",
    "LLM(a=",
    "TrainingArguments(\n",
    "> x <<EOF\n",
    "```\n",
    "$ cat x.json\n",
    "torch==1.0 ",
    "a==1\n",
    "FROM a\n",
    "RUN a \\\n",
    "[[package]]\n",
    "vllm serve 'a",
    "export A='",
    "A=$A$A\nA+=(",
    "args: Namespace(gpu_memory_utilization",
    "GPU 0,1,",
    "a" * 100 + " ",
    "lambda:",
    "not a ",
)


@pytest.mark.parametrize("unit", HOSTILE)
def test_long_runs_of_one_sign_take_no_more_than_their_length(unit: str) -> None:
    start = time.process_time()
    for before in ("", "import torch\n"):
        read_setup([("a", before + unit * (20_000 // len(unit)))])
    # Measured: 0.5 s at most; what takes the square of the length takes minutes.
    assert time.process_time() - start < 5


def test_merged_and_repeated_anchors_do_not_grow() -> None:
    bomb = "a: &a {x: 1, y: 2}\n" + "".join(
        f"{name}: &{name} {{p: *{before}, q: *{before}, <<: *{before}}}\n"
        for before, name in zip("abcdefghijklmnop", "bcdefghijklmnopq", strict=True)
    )
    setup = read_setup([("a.yaml", f"zero_optimization: {{stage: 3}}\n{bomb}")])
    assert setup.facts["zero_stage"].value == 3
    assert len(setup.settings) < 6_000
