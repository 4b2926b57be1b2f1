"""The fix as an order, and what of a text is worth copying."""

import pytest
import yaml

from kb.core.advice import fix_order, snippets
from kb.starter.load import RECORDS


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Serve with `--kv-cache-dtype bfloat16`.", ["--kv-cache-dtype bfloat16"]),
        ("Set `reduce_scatter: false`; a test shows it.", ["reduce_scatter: false"]),
        ("Raise it with `ulimit -n 131072` (not `-m 5`).", ["ulimit -n 131072"]),
        ("Install it: `conda install -c conda-forge mpi4py`.", ["conda install -c conda-forge mpi4py"]),
        ("Install `mpi4py>=4.0.0`, then `gc.collect()`.", ["mpi4py>=4.0.0", "gc.collect()"]),
        ("Set A=1, or pass b_c=False to it. Then set A=1 again.", ["A=1", "b_c=False"]),
        ('Set TORCH_LOGS="recompiles, graph" first.', ['TORCH_LOGS="recompiles, graph"']),
        ("Set `NAME` to the number of cards; `n` is too few.", []),
        ("It works without `--fast-path`, unless `A=1` is given.", []),
        ("The title ties it to the use of `--overlap-gather`.", []),
        ("`overlap: false` does not help.", []),
        ("Objects pile up with fused=True in 2.10.", []),
        ("Do this:\n```python\nmodel.eval()\n\nmodel()\n```\nand `x = 1`.", ["model.eval()\n\nmodel()", "x = 1"]),
        ("An open `backtick, and ``` a fence", []),
        ("", []),
    ],
)
def test_what_a_text_says_to_use_can_be_copied(text: str, found: list[str]) -> None:
    assert list(snippets(text)) == found


def test_the_records_have_snippets_and_each_stands_in_its_text() -> None:
    with_code = 0
    for file in RECORDS.rglob("*.yaml"):
        record = yaml.safe_load(file.read_text(encoding="utf-8"))
        for text in (record.get("fix_line", ""), record.get("resolution", ""), record.get("workaround", "")):
            found = snippets(text)
            with_code += bool(found)
            assert all(code in text for code in found), file
    assert with_code >= 25


@pytest.mark.parametrize(
    ("version", "fixes", "order"),
    [
        ("0.2.0", ["a/b#1"], "Upgrade to vLLM 0.2.0 or later."),
        ("v1.2rc1", [], "Upgrade to vLLM 1.2rc1 or later."),
        ("FlashInfer 0.6.15", [], "Upgrade to FlashInfer 0.6.15 or later."),
        ("the nightly of 3 May.", [], "Use a release with the fix: the nightly of 3 May."),
        ("", ["a/b#1"], "Use a version that includes a/b#1."),
        ("", ["a/b#1", "a/b@1234567", "c/d#2"], "Use a version that includes a/b#1, a/b@1234567 and c/d#2."),
        ("", [], ""),
    ],
)
def test_the_fix_is_an_order(version: str, fixes: list[str], order: str) -> None:
    assert fix_order("vLLM", fixed_version=version, fixes=fixes) == order
