"""What a Faultbook server answers by its REST API, where the user named one: with `--server`."""

import json
import time
from collections.abc import Iterable, Mapping
from typing import Any, cast
from urllib.parse import urlencode

from faultbook.sending import form
from faultbook.web import MIB, WebError, answered, as_json, checked_address, fetched
from kb.core.check.schema import CheckData
from kb.core.check.texts import NamedText
from kb.core.diagnosis.schema import DiagnosisData
from kb.core.similar import SimilarReportData

API = "/api/v1"
LARGEST = 32 * MIB
MOST_SECONDS, LOOK_AGAIN_SECONDS = 600, 2
NOT_READY = ("waiting", "working")


def diagnosis(server: str, files: Iterable[tuple[str, bytes]], healthy: Iterable[tuple[str, bytes]]) -> DiagnosisData:
    """The server's diagnosis of these texts. Raises `WebError`."""
    address = f"{checked_address(server)}{API}/diagnose"
    kind, content = form({"file": files, "healthy": healthy})
    answer = answered(address, content=content, kind=kind)
    if "verdict" not in answer:
        answer = _result(f"{address}/jobs/{answer['id']}")
    return cast("DiagnosisData", answer)


def check(server: str, texts: Iterable[NamedText]) -> CheckData:
    """The server's check of these texts. Raises `WebError`."""
    body = {"texts": [{"name": name, "text": text} for name, text in texts]}
    address = f"{checked_address(server)}{API}/check"
    return cast("CheckData", answered(address, content=json.dumps(body).encode(), kind="application/json"))


def search(server: str, words: str, limit: int) -> Any:
    """The first results of the server's search. Raises `WebError`."""
    query = urlencode({"q": words, "page_size": limit, "facets": "false"})
    address = f"{checked_address(server)}{API}/search/?{query}"
    return as_json(address, fetched(address, largest=LARGEST))


def similar(server: str, report: Mapping[str, str]) -> SimilarReportData:
    """What the server knows that is like a report. Raises `WebError`."""
    address = f"{checked_address(server)}{API}/search/similar/"
    return cast("SimilarReportData", answered(address, content=json.dumps(report).encode(), kind="application/json"))


def issue(server: str, name: str) -> Any:
    """The report of this name as the server mirrors it. Raises `WebError`."""
    address = f"{checked_address(server)}{API}/issues/"
    found = f"{address}?{urlencode({'q': name, 'page_size': 2})}"
    rows = as_json(found, fetched(found, largest=LARGEST))["results"]
    if len(rows) != 1:
        known = "several such issues: put the owner before the name" if rows else "no such issue"
        raise WebError(f"{server} has {known}. Or hand over the report's text as a file.")
    whole = f"{address}{rows[0]['id']}/"
    given = as_json(whole, fetched(whole, largest=LARGEST))
    if not given["body"]:
        raise WebError(f"{server} does not mirror the text of {name}. Hand it over as a file.")
    return given


def _result(address: str) -> Any:
    """What came of a job, which is deleted from the server then. Raises `WebError`."""
    deadline = time.monotonic() + MOST_SECONDS
    while (job := as_json(address, fetched(address, largest=LARGEST)))["state"] in NOT_READY:
        if time.monotonic() > deadline:
            raise WebError(f"{address} is not done after {MOST_SECONDS // 60} minutes. Look there later.")
        time.sleep(LOOK_AGAIN_SECONDS)
    fetched(address, largest=LARGEST, method="DELETE")
    if job["result"] is None:
        raise WebError(f"The server refuses the log: {job['error']}")
    return job["result"]
