"""What is handed in is counted, lies in one file whatever its number, and is called by names that can be shown."""

import io
from collections.abc import Iterator

import pytest
from django.test import RequestFactory

from kb.core.diagnosis.reading.intake import UnreadableInputError
from kb.diagnose.immediate import Waiting, answer_at_once
from kb.diagnose.uploads import Part, Receiver, TooLargeError, form_uploads, shown_name
from tests.kb.diagnose.runs import ERROR, FAILED, bomb, failed_run, handed_in, steps, uploaded

MIB = 1 << 20
PATIENT = Waiting(sent=5 * MIB, text=64 * MIB)


def test_files_of_a_form_are_read_apart_and_again() -> None:
    contents = {"a.log": failed_run(300_000), "empty.log": b"", "b.log": FAILED.encode()}
    request = RequestFactory().post("/", {"file": [uploaded(data, name) for name, data in contents.items()]})
    with Receiver(MIB) as receiver:
        request.upload_handlers = [receiver]
        files = list(form_uploads(request.FILES.getlist("file")))
        for _ in range(2):
            for file in files:
                file.stream.seek(0)
                assert file.stream.read(file.size + 1) == contents[file.name]
                assert file.stream.read(1) == b""


def test_parts_are_read_in_turns() -> None:
    whole = io.BytesIO(b"0123456789")
    first, second = Part(whole, 0, 5), Part(whole, 5, 5)
    assert [first.read(2), second.read(2), first.read(9), second.read(-1)] == [b"01", b"56", b"234", b"789"]


def test_more_than_may_be_taken_is_refused_on_the_way() -> None:
    taken = []

    def blocks() -> Iterator[bytes]:
        while True:
            taken.append(1)
            yield bytes(MIB)

    with Receiver(3 * MIB) as receiver, pytest.raises(TooLargeError, match="More than 3 MB"):
        receiver.receive_body(blocks(), "log")
    assert len(taken) == 4


@pytest.mark.parametrize(
    ("name", "shown"),
    [("job.log", "job.log"), ("", "log"), ("  ", "log"), ("a\r\nb", "a\ufffd\ufffdb"), ("x" * 999, "x" * 200)],
)
def test_names_can_be_shown(name: str, shown: str) -> None:
    assert shown_name(name) == shown


@pytest.mark.django_db
class TestAtOnce:
    def test_a_small_log_is_answered(self) -> None:
        found = answer_at_once(files=[handed_in(FAILED.encode())], waiting=PATIENT)
        assert found is not None
        assert ERROR in found["lines"][0]["text"]

    def test_what_was_sent_is_too_much(self) -> None:
        assert answer_at_once(files=[handed_in(failed_run(MIB))], waiting=Waiting(sent=MIB, text=MIB)) is None

    def test_what_is_in_it_is_too_much(self) -> None:
        assert answer_at_once(files=[handed_in(bomb(80 * MIB))], waiting=PATIENT) is None
        healthy = handed_in(bomb(80 * MIB), healthy=True)
        assert answer_at_once(files=[handed_in(FAILED.encode()), healthy], waiting=PATIENT) is None

    def test_it_takes_too_long(self) -> None:
        waiting = Waiting(sent=5 * MIB, text=64 * MIB, seconds=-1)
        assert answer_at_once(files=[handed_in(steps(1_000).encode())], waiting=waiting) is None

    def test_nothing_of_it_can_be_read(self) -> None:
        with pytest.raises(UnreadableInputError, match="It does not look like a text log"):
            answer_at_once(files=[handed_in(bytes(range(32)) * 9)], waiting=PATIENT)
