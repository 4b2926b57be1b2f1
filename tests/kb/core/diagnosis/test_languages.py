"""Logs in Chinese, and levels in Japanese and Korean: levels, steps and words of failure are known."""

import pytest

from kb.core.diagnosis.parsing.alarms import alarm, goes_on
from kb.core.diagnosis.parsing.prefixes import Level
from kb.core.diagnosis.parsing.steps import plan, step
from kb.core.diagnosis.report import FAILURE
from tests.kb.core.diagnosis.lines import best, diagnosis_of
from tests.kb.core.diagnosis.test_parsing import said


@pytest.mark.parametrize(
    ("word", "level"),
    [
        ("调试", "DEBUG"), ("信息", "INFO"), ("警告", "WARNING"), ("错误", "ERROR"), ("严重", "FATAL"),
        ("致命", "FATAL"), ("エラー", "ERROR"), ("情報", "INFO"), ("오류", "ERROR"), ("경고", "WARNING"),
    ],
)  # fmt: skip
def test_levels_stand_where_loggers_put_them(word: str, level: str) -> None:
    for head in (f"[{word}] ", f"【{word}】", f"{word}: ", f"{word}：", f"2026-03-04 02:11:27,827 - 训练 - {word} - "):
        assert said(f"{head}连接已建立") == ({}, "连接已建立", level)
    assert said(f"2026-03-04 02:11:27 {word} 连接已建立")[2] == level
    assert said(f'{{"level": "{word}", "msg": "连接已建立"}}')[1:] == ("连接已建立", level)


FAILURES = (
    "读取数据失败|进程异常退出|显存不足|节点内存不足|等待其他进程超时|连接中断|段错误（核心已转储）|"
    "找不到检查点文件|无法连接到主节点|进程被杀死|张量形状不匹配|训练崩溃|初始化に失敗しました|메모리 부족"
)


@pytest.mark.parametrize("text", FAILURES.split("|"))
def test_words_of_failure_sound_alarming(text: str) -> None:
    assert 2 <= alarm(text, Level.UNKNOWN) < alarm(text, Level.ERROR)


@pytest.mark.parametrize(
    "text", ["错误数: 0", "没有错误", "0 个失败", "数据加载完成", "失败次数：0，继续", "连接超时，正在重试"]
)
def test_what_only_has_the_word_is_harmless(text: str) -> None:
    assert alarm(text, Level.INFO) == 0


def test_what_is_done_about_a_trouble_is_known() -> None:
    assert goes_on("连接超时，3 秒后重试")
    assert not goes_on("连接超时，重试次数已用尽")


@pytest.mark.parametrize(
    ("line", "iteration", "loss", "seconds"),
    [
        ("第 100 步，损失: 2.51，耗时 1.2 秒", 100, 2.51, 1.2),
        ("第100/5000步 损失值=2.51 用时：850毫秒", 100, 2.51, 0.85),
        ("步数: 100, 损失：2.51", 100, 2.51, None),
        ("迭代 100 | loss: 2.51 | 耗时: 1.2s", 100, 2.51, 1.2),
        ("第 3 次迭代, 损失 2.51", 3, 2.51, None),
    ],
)
def test_steps_are_read(line: str, iteration: int, loss: float, seconds: float | None) -> None:
    how = plan(line)
    assert how is not None
    match = how.pattern.match(line)
    assert match is not None
    read = step(match, how, 0)
    assert (read.iteration, read.loss, how.is_done) == (iteration, loss, True)
    assert read.seconds == (None if seconds is None else pytest.approx(seconds))


def test_a_round_is_an_epoch() -> None:
    line = "第 3/10 轮 步数: 120 损失: 2.51"
    how = plan(line)
    assert how is not None
    match = how.pattern.match(line)
    assert match is not None
    read = step(match, how, 0)
    assert (read.iteration, read.epoch, read.epochs) == (120, 3, 10)


def test_a_run_that_dies_in_chinese_is_a_failure() -> None:
    steps = [
        f"2026-03-04 02:11:{second:02} - 训练 - 信息 - 第 {second} 步，损失: 2.{90 - second}" for second in range(20)
    ]
    end = ["2026-03-04 02:11:30 - 训练 - 错误 - 显存不足，进程异常退出", "2026-03-04 02:11:31 - 训练 - 信息 - 清理"]
    found = diagnosis_of("\n".join([*steps, *end]))
    assert (found.verdict, best(found).line, found.iteration, found.stage) == (FAILURE, 21, 19, "train")


@pytest.mark.parametrize("text", ["进程 5: 集合通信超时，已等待 1800 秒", "等待其他节点响应超时"])
def test_who_waits_in_vain_in_chinese_hangs(text: str) -> None:
    steps = [f"第 {number} 步，损失: 2.{90 - number}" for number in range(20)]
    found = diagnosis_of("\n".join([*steps, f"[错误] {text}", "[错误] 训练进程异常退出"]))
    assert (found.verdict, found.symptom, best(found).line) == (FAILURE, "hang", 21)
