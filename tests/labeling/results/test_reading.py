"""Files of votes as other tools write them, and what is told of lines that cannot be read."""

import pytest

from labeling.exchange.parse import read
from labeling.exchange.rows import AnswerRow, Rejected
from labeling.exchange.values import Options, UnreadableError

URL = "https://github.com/a/b/issues/1"


def answers(text: str, format_: str, **options: object) -> list[tuple[str, str, str, tuple[str, ...], bool]]:
    found = list(read(text.splitlines(keepends=True), format_, Options(**options)))  # type: ignore[arg-type]
    return [
        (one.issue, one.annotator, one.axis, one.codes, one.is_undecidable)
        for one in found
        if isinstance(one, AnswerRow)
    ]


def rejections(text: str, format_: str) -> list[Rejected]:
    return [one for one in read(text.splitlines(keepends=True), format_, Options()) if isinstance(one, Rejected)]


def test_long_csv() -> None:
    text = f"issue,annotator,axis,nodes\n{URL},ann,symptom,hang|crash\n{URL},ben,symptom,?\n"
    assert answers(text, "long_csv") == [
        (URL, "ann", "symptom", ("hang", "crash"), False), (URL, "ben", "symptom", (), True),
    ]  # fmt: skip


def test_wide_csv_of_a_study_with_a_column_to_leave_out() -> None:
    text = f"Issue_URL,Label1,Label2,Final_Label\n{URL},A.1,,A.1\n"
    assert answers(text, "wide_csv", axis="theme", leave_out=("final_label",)) == [
        (URL, "Label1", "theme", ("A.1",), False)
    ]


def test_long_and_wide_json_lines() -> None:
    long = f'{{"issue": "{URL}", "annotator": "ann", "axis": "symptom", "nodes": ["hang"]}}\n'
    wide = f'{{"issue": "{URL}", "votes": {{"ann": {{"symptom": ["hang"]}}}}}}\n'
    assert answers(long, "long_jsonl") == answers(wide, "wide_jsonl") == [(URL, "ann", "symptom", ("hang",), False)]


def test_doccano_with_several_questions_in_one_list_of_labels() -> None:
    labels = '["symptom: hang", "type: bug"]'
    text = f'{{"id": 7, "text": "It hangs", "label": {labels}, "annotator": "ann", "issue": "{URL}"}}\n'
    assert answers(text, "doccano") == [
        (URL, "ann", "symptom", ("hang",), False), (URL, "ann", "type", ("bug",), False),
    ]  # fmt: skip


def test_doccano_with_one_question() -> None:
    text = f'{{"text": "It hangs", "label": ["hang", "crash"], "username": "ann", "url": "{URL}"}}\n'
    assert answers(text, "doccano", axis="symptom") == [(URL, "ann", "symptom", ("hang", "crash"), False)]


def test_label_studio_with_people_as_numbers_and_as_objects() -> None:
    choice = '{"from_name": "symptom", "to_name": "text", "type": "choices", "value": {"choices": ["hang"]}}'
    text = (
        f'[{{"id": 1, "data": {{"url": "{URL}"}}, "annotations": ['
        f'{{"completed_by": 3, "result": [{choice}]}},'
        f'{{"completed_by": {{"id": 4, "email": "ann@example.org"}}, "result": [{choice}]}},'
        f'{{"completed_by": 5, "was_cancelled": true, "result": [{choice}]}}]}}]'
    )
    assert [who for _, who, *_ in answers(text, "label_studio")] == ["3", "ann@example.org"]


def test_lines_that_are_no_json_are_told_with_their_number() -> None:
    assert rejections('{"issue": \n{}\n[1]\n', "long_jsonl") == [
        Rejected(1, "This line is not valid JSON."), Rejected(3, "This line is not a JSON object."),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "format_", "says"),
    [
        ("a,b\n1,2\n", "long_csv", "must name the columns"),
        ("a,b\n1,2\n", "wide_csv", "issues' addresses"),
        ("url,ann\nx,y\n", "wide_csv", "which question it answers"),
        ("{", "label_studio", "not valid JSON"),
        ("{}", "label_studio", "one list of tasks"),
    ],
)
def test_a_file_of_another_kind_is_refused_with_what_is_missing(text: str, format_: str, says: str) -> None:
    with pytest.raises(UnreadableError, match=says):
        answers(text, format_)


def test_too_long_a_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("labeling.exchange.parse.MOST_LINES", 1)
    with pytest.raises(UnreadableError, match="in parts"):
        answers(f"issue,annotator,axis,nodes\n{URL},a,b,c\n{URL},a,b,c\n", "long_csv")
