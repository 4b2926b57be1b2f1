"""What it costs to explain results: a card is taken apart only where it may hold another name of what was asked for."""

from importlib import import_module

import pytest
from django.http import QueryDict

from kb.core.search.normalise import written
from kb.search import reasons, search
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db


@pytest.fixture
def read_texts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of cards that were taken apart, as they come."""
    texts: list[str] = []

    def count(text: str) -> list[str]:
        texts.append(text)
        return written(text)

    monkeypatch.setattr(import_module("kb.core.search.reasons"), "written", count)
    return texts


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("barrier training hang", id="all in the title"),
        pytest.param("banner loader", id="all in the text"),
        pytest.param("barrier unicorn", id="a word that stands nowhere"),
    ],
)
def test_what_stands_there_itself_takes_no_card_apart(
    search_index: PutIssuesIn, read_texts: list[str], text: str
) -> None:
    for number in range(1, 4):
        make_issue(number, title=f"Training hangs at barrier {number}", body="The banner of the loader is shown twice.")
    search_index()
    result = search(QueryDict(f"q={text}"))
    assert len(result.rows) == len(reasons(result)) == 3
    assert read_texts == []


def test_a_card_is_taken_apart_once_however_many_words_have_another_name_there(
    search_index: PutIssuesIn, read_texts: list[str]
) -> None:
    make_issue(1, title="A worker is stuck, then it is killed at the barrier")
    make_issue(2, title="One that hangs and one that crashes")
    search_index()
    result = search(QueryDict("q=barrier hang crash&match=any"))
    names = {alike.wanted: alike.there for reason in reasons(result) for alike in reason.alike}
    assert names == {"hang": "stuck", "crash": "killed"}
    assert len(read_texts) == 1
