"""The data file answers as the server does that wrote it, and holds nothing that others wrote."""

import sys
from collections.abc import Iterator
from functools import partial
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.http import QueryDict

from kb.core.diagnosis.pipeline import InputFile, as_data, diagnosed, read
from kb.core.diagnosis.setup import setup_of
from kb.core.knowledge import diagnosis
from kb.core.knowledge.known import Knowledge, load
from kb.core.knowledge.search import BadFilterError, Found, closest
from kb.core.knowledge.search import search as search_offline
from kb.core.search.reasons import reasons
from kb.core.search.similar_reports import similar_to_report as similar_offline
from kb.diagnose.knowledge import with_known
from kb.exports.client_data import write_client_data
from kb.models import Issue
from kb.search import Report, SearchResult, search, similar_to_report
from kb.selectors.affected import known
from tests.kb.core.diagnosis.evaluation.corpus import PARTS, entries
from tests.relevance.judged import FIELD, QUERIES, read_judged
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_issue

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("starter")]
# Of so many questions and error lines of practitioners, so many must have the server's first record.
QUESTIONS, LEAST_SAME = 60, 55
LOGS = 24
MOST_BYTES = 4 * 2**20
ASKED = (
    "framework:deepspeed hang",
    "hang -framework:deepspeed",
    "symptom:oom is:closed loading",
    "FB-000860",
    "DeepSpeed#860",
    "https://github.com/microsoft/DeepSpeed/issues/860",
    '"illegal memory access"',
)
PLANTED = "Quokkas unplugged the interconnect"


@pytest.fixture
def knowledge(tmp_path: Path) -> Knowledge:
    write_client_data(tmp_path / "data.zst")
    return load(tmp_path / "data.zst", tmp_path / "cache")


def on_the_server(text: str) -> SearchResult:
    params = QueryDict(mutable=True)
    params["q"] = text
    return search(params, limit=10, with_facets=False)


def shown(result: SearchResult | Found) -> list[str]:
    return [row.card.public_id for row in result.rows]


def logs() -> Iterator[Path]:
    every = [path for part in PARTS for path, _ in entries(part)]
    yield from every[:: max(1, len(every) // LOGS)]


def test_it_answers_as_the_server(knowledge: Knowledge, search_index: PutIssuesIn) -> None:
    """Searches, diagnoses, checks and reports, in one test: both indexes are made once."""
    search_index()
    judged = [*read_judged(FIELD), *read_judged(QUERIES)]
    questions = [query.query for query in judged if query.is_answered][:QUESTIONS]
    assert len(questions) == QUESTIONS
    pairs = [(on_the_server(text), search_offline(knowledge, text)) for text in questions]
    assert sum(shown(there)[:1] == shown(here)[:1] for there, here in pairs) >= LEAST_SAME
    assert sum(there.is_close == here.is_close for there, here in pairs) >= LEAST_SAME
    assert [reasons(there)[:1] for there, _ in pairs] == [here.reasons()[:1] for _, here in pairs]
    compared = 0
    for path in logs():
        with path.open("rb") as stream, path.open("rb") as again:
            data = as_data(diagnosed(read([InputFile(path.name, stream)])))
            setup = setup_of([InputFile(path.name, again)])
        assert diagnosis.with_known(data, setup, knowledge) == with_known(data, setup), path.name
        compared += bool(with_known(data, setup)["issues"])
    assert compared >= 5
    for record in list(knowledge.records.values())[::300]:
        report = Report(record.title, "\n".join((record.summary, *record.recognise)), record.framework)
        here = similar_offline(report, knowledge, partial(closest, knowledge), str)
        assert here["matches"][0]["url"] == record.url
        assert here == similar_to_report(report, str)
    assert dict(knowledge.faults()) == {url: fault for url, fault in known().by_url.items() if url in described()}
    assert knowledge.without_history == known().without_history


def described() -> set[str]:
    return set(Issue.objects.exclude(summary="").values_list("url", flat=True))


def test_filters_and_names_ask_as_on_the_server(knowledge: Knowledge, search_index: PutIssuesIn) -> None:
    search_index()
    for text in ASKED:
        assert shown(search_offline(knowledge, text)) == shown(on_the_server(text)), text
    assert shown(search_offline(knowledge, "fb-860")) == ["FB-000860"]
    for text, problem in (
        ("framework:depspeed hang", "“depspeed” is no framework here. Nearest: “deepspeed”"),
        ("opened:>2024 hang", "“opened” cannot be asked offline"),
        ("symtom:hang", "is not a filter"),
    ):
        with pytest.raises(BadFilterError, match=problem):
            search_offline(knowledge, text)


def test_nothing_that_others_wrote_is_in_it_and_the_same_content_gives_the_same_small_file(tmp_path: Path) -> None:
    call_command("export_client_data", tmp_path / "one", stdout=StringIO())
    texts = {"title": f"{PLANTED}: title", "body": f"RuntimeError: {PLANTED}", "author": "quokka"}
    Issue.objects.filter(public_id="FB-000860").update(**texts)
    make_issue(7, title=texts["title"], body=texts["body"], author=texts["author"])
    call_command("export_client_data", tmp_path / "two", stdout=StringIO())
    content = (tmp_path / "one").read_bytes()
    assert content == (tmp_path / "two").read_bytes()
    assert len(content) < MOST_BYTES
    assert b"FB-000860" in zstd.decompress(content)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"cannot be written \(No such file or directory\)"):
        call_command("export_client_data", tmp_path / "none" / "data.zst")
