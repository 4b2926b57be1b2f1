"""Levels that JSON loggers write as numbers count as the words that they stand for."""

import json

import pytest

from kb.core.diagnosis.beside.levels import SCALES, in_words
from kb.core.diagnosis.report import FAILURE
from tests.kb.core.diagnosis.lines import diagnosis_of, indicated

STEP = "step {0} | loss: 2.{0} | step_time: 1.0s"
LOST = "the shelf keeper gave its key back"


def pino(level: int, text: str) -> str:
    return json.dumps({"level": level, "time": 1773000000000, "pid": 7, "hostname": "n1", "msg": text})


def bunyan(level: int, text: str) -> str:
    return json.dumps({"name": "train", "hostname": "n1", "pid": 7, "level": level, "msg": text, "v": 0})


def docker(level: int, text: str) -> str:
    return json.dumps({"log": pino(level, text) + "\n", "stream": "stdout", "time": "2026-05-14T10:00:00.1Z"})


def journal(level: int, text: str) -> str:
    priority = {30: "6", 50: "3", 60: "2"}[level]
    return json.dumps({"__REALTIME_TIMESTAMP": "1773000000000000", "PRIORITY": priority, "MESSAGE": text})


def opentelemetry(level: int, text: str) -> str:
    number = {30: 9, 50: 17, 60: 21}[level]
    return json.dumps({"Timestamp": "1773000000000000000", "SeverityNumber": number, "Body": text})


WRITERS = {"pino": pino, "bunyan": bunyan, "docker": docker, "journald": journal, "opentelemetry": opentelemetry}


@pytest.mark.parametrize("level", [50, 60])
@pytest.mark.parametrize("name", WRITERS)
def test_an_error_by_number_alone_is_what_failed(name: str, level: int) -> None:
    write = WRITERS[name]
    lines = [write(30, STEP.format(number)) for number in range(10, 40)]
    found = diagnosis_of("\n".join([*lines, write(level, LOST)]))
    assert (found.verdict, indicated(found)) == (FAILURE, [("job.log", 31)])
    assert LOST in found.lines[0].text


@pytest.mark.parametrize("name", WRITERS)
def test_the_same_words_at_an_ordinary_level_are_no_failure(name: str) -> None:
    write = WRITERS[name]
    lines = [write(30, STEP.format(number)) for number in range(10, 40)]
    assert diagnosis_of("\n".join([*lines, write(30, LOST)])).verdict != FAILURE


@pytest.mark.parametrize(
    "text", ['{"level": 3, "loss": 2.1}', '{"level": 50, "score": 7}', '{"PRIORITY": "high"}', '{"severity": "ERROR"}']
)
def test_numbers_that_are_no_levels_stay(text: str) -> None:
    assert in_words(text, SCALES) == text
