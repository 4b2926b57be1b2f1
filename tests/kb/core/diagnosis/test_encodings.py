"""Text that is not UTF-8: Chinese in GBK and GB 18030, line by line, and nothing else taken for it."""

import re

import pytest

from kb.core.diagnosis.report import FAILURE
from tests.kb.core.diagnosis.lines import STEPS, diagnosis_of

FAILURES = ["错误：显存不足，训练进程被终止", "[ERROR] 加载模型失败: 找不到文件 /data/a.bin", "节点 node02 连接超时"]


@pytest.mark.parametrize("encoding", ["gbk", "gb18030"])
@pytest.mark.parametrize("line", FAILURES)
def test_chinese_is_read_in_its_encoding(line: str, encoding: str) -> None:
    found = diagnosis_of({"job.log": f"{STEPS}\n{line}\n".encode(encoding)})
    assert found.verdict == FAILURE
    # The word for the level at its beginning is no part of its text.
    assert found.lines[0].text == re.sub("^(?:错误：|\\[ERROR\\] )", "", line)


def test_lines_of_two_encodings_stand_in_one_file() -> None:
    content = f"{STEPS}\n".encode() + "进度正常：第 3 轮\n".encode() + "错误：显存不足\n".encode("gbk")
    assert diagnosis_of({"job.log": content}).lines[0].text == "显存不足"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("RuntimeError: fichier déjà effacé".encode("latin-1"), "RuntimeError: fichier d\ufffdj\ufffd effac\ufffd"),
        ("RuntimeError: 显存不足".encode()[:-1], "RuntimeError: 显存不\ufffd"),
        (b"RuntimeError: key \x81\x82\x8f\x9a\x83", "RuntimeError: key \ufffd\ufffd\ufffd\ufffd\ufffd"),
    ],
    ids=["Latin 1", "UTF-8 that is cut off", "other bytes"],
)
def test_other_bytes_are_not_taken_for_chinese(content: bytes, text: str) -> None:
    assert diagnosis_of({"job.log": f"{STEPS}\n".encode() + content}).lines[0].text == text
