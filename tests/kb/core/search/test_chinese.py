"""A Chinese question falls apart at the words that are known, and loses its small talk."""

import pytest

from kb.core.search.chinese import parts


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ("训练卡住", ["训练", "卡住"]),
        ("输出全是感叹号", ["输出", "感叹号"]),
        ("显存不够怎么办", ["显存不够"]),
        ("请问为什么多卡训练一直卡住了", ["多卡", "训练", "卡住"]),
        ("昇腾算子", ["昇腾", "算子"]),
        ("怎么办", ["怎么办"]),
        ("all_reduce", ["all_reduce"]),
        ("", [""]),
    ],
)
def test_parts(run: str, expected: list[str]) -> None:
    assert parts(run) == expected
