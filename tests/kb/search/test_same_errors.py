"""Results with the error that was searched for come first, and issues' texts are read only where they can have it."""

import pytest
from django.db import connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext

from kb.core.search.error_matches import ErrorQuery, Relation
from kb.search import search
from kb.search.error_matches import error_matches
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_issue, make_issues, make_other_report, make_repository

pytestmark = pytest.mark.django_db

OUT_OF_MEMORY = "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB"
OWN = "ValueError: the loom holds 80 threads where the weaver wants 64"


@pytest.fixture(autouse=True)
def _issues(search_index: PutIssuesIn) -> None:
    vllm = make_repository("vllm-project/vllm", "vllm")
    make_issue(1, repository=vllm, title="CUDA out of memory: the loom holds threads where the weaver wants fewer")
    make_issue(2, repository=vllm, title="It ends at the start", body=f"The log ends so:\n```\n{OUT_OF_MEMORY}\n```\n")
    make_issue(3, repository=vllm, title="It ends later", body=f"The log ends so:\n```\n{OWN}\n```\n")
    # Among a few issues every word is frequent.
    make_issues(60, title="Training is slow")
    search_index()


def found(text: str) -> tuple[list[str], int]:
    """The refs of the results, and how many statements read issues' texts."""
    params = QueryDict(mutable=True)
    params["q"] = text
    with CaptureQueriesContext(connection) as statements:
        result = search(params, with_facets=False)
    refs = [row.card.page.rpartition("/")[2] for row in result.rows]
    return refs, sum('"body"' in statement["sql"] for statement in statements)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(OUT_OF_MEMORY, id="a line that many faults end with"),
        pytest.param("CUDA out of memory at the start", id="a part of it"),
        pytest.param("Segmentation fault (core dumped)", id="another one"),
    ],
)
def test_no_text_is_read_for_a_line_that_tells_no_issue_from_another(text: str) -> None:
    assert found(text)[1] == 0


def test_such_a_line_is_looked_for_within_the_framework_that_is_named() -> None:
    refs, reads = found(f"vllm.engine {OUT_OF_MEMORY}")
    assert (refs[0], reads) == ("2", 1)


FACE = "RuntimeError: the shuttle left the warp beam at pick 7"


def test_a_line_that_is_also_seen_with_a_fault_comes_after_one_that_it_is_known_by(search_index: PutIssuesIn) -> None:
    seen = make_issue(4, title="It ends", summary="The shuttle.", also_seen=["the shuttle left the warp beam at pick"])
    known = make_issue(
        5, title="It ends too", summary="The shuttle.", recognise=["the shuttle left the warp beam at pick"]
    )
    search_index()
    refs, _ = found(FACE)
    assert refs[:2] == [known.public_id, seen.public_id]


def test_one_that_is_seen_with_many_faults_tells_none_of_them(search_index: PutIssuesIn) -> None:
    for ref in range(4, 8):
        make_issue(ref, title="It ends", summary="Over.", also_seen=["the shuttle left the warp beam at pick"])
    search_index()
    matches = error_matches(ErrorQuery((FACE,), only_quoted=True), 9)
    assert matches == []


def test_a_report_is_folded_under_the_record_that_answers_it(search_index: PutIssuesIn) -> None:
    record = make_issue(4, title="A loom too small", summary="The shuttle left the warp beam at some pick.")
    report = make_issue(5, title="It ends", body=f"The log ends so:\n```\n{FACE}\n```\n")
    make_other_report(record, report)
    search_index()
    (match,) = error_matches(ErrorQuery((FACE,)), 9)
    assert (match.card.id, match.relation) == (record.pk, Relation.SAME_ERROR)


def test_who_has_a_telling_line_comes_first() -> None:
    refs, reads = found(OWN)
    assert (refs[0], reads) == ("3", 1)
