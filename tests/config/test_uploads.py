"""Forms have few files; where a diagnosis is asked for, they may have one of each rank."""

import pytest
from django.core.exceptions import TooManyFilesSent
from django.test import RequestFactory

from config.uploads import MOST
from tests.kb.diagnose.runs import uploaded


def request_with(files: int) -> int:
    """How many files of a form reach a view."""
    sent = RequestFactory().post("/", {"file": [uploaded(b"x", f"{place}.log") for place in range(files)]})
    return len(sent.FILES.getlist("file"))


def test_a_hundred_files_are_taken() -> None:
    assert request_with(MOST) == MOST


def test_one_more_is_not() -> None:
    with pytest.raises(TooManyFilesSent):
        request_with(MOST + 1)
