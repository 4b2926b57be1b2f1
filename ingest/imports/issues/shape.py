"""Reading one issue in the shape of GitHub's REST API, or a reduced form of it.

Pure: takes a JSON object, returns values. Hosts and dumps leave out or null nearly everything; what is needed is
an address and a number.
"""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from ingest.hosts.values import clean_text, parse_moment
from ingest.rejections import Reason, Rejection, shown
from kb.core.addresses import BadAddressError, IssueAddress, parse_issue_address

MAX_TITLE = 1_000
MAX_BODY = 256 * 1024
MAX_LABEL = 100
MAX_LABELS = 100
MAX_COUNT = 2**31 - 1
STATES = {"open": "open", "closed": "closed"}
ASSOCIATIONS = {
    "COLLABORATOR", "CONTRIBUTOR", "FIRST_TIMER", "FIRST_TIME_CONTRIBUTOR", "MANNEQUIN", "MEMBER", "NONE", "OWNER",
}  # fmt: skip

Json = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class MirroredIssue:
    """An issue as its host tells it. `updated_at` is the moment the copy was certainly still true."""

    address: IssueAddress
    kind: str
    title: str
    body: str
    state: str
    opened_at: dt.datetime | None
    closed_at: dt.datetime | None
    updated_at: dt.datetime | None
    comment_count: int | None
    reaction_count: int | None
    host_labels: list[str]
    author_association: str


class _NotTakenError(Exception):
    """The object cannot be taken."""

    def __init__(self, reason: Reason, message: str, value: object = "") -> None:
        super().__init__(message)
        self.rejection = Rejection(0, reason, message, shown(value))


def read_issue(data: Json, *, line: int) -> MirroredIssue | Rejection:
    """Read one object that begins on `line`. Never raises."""
    try:
        return _read(data)
    except _NotTakenError as error:
        return error.rejection.on(line)


def _read(data: Json) -> MirroredIssue:
    address = _address(data)
    state = STATES.get(str(data.get("state") or "").lower(), "unknown")
    opened, closed = _moment(data, "created_at"), _moment(data, "closed_at")
    if opened and closed and closed < opened:
        raise _NotTakenError(Reason.CONTRADICTION, "closed before it was opened", f"{opened} {closed}")
    if state == "open":
        closed = None  # reopened: some dumps keep the first closing date
    moments = [moment for moment in (_moment(data, "updated_at"), closed, opened) if moment]
    association = data.get("author_association")
    if not isinstance(association, str) or association not in ASSOCIATIONS:
        association = ""
    return MirroredIssue(
        address=address,
        kind="pull_request" if address.is_pull_request or data.get("pull_request") else "issue",
        title=" ".join(_text(data, "title").split())[:MAX_TITLE],
        body=_text(data, "body")[:MAX_BODY],
        state=state,
        opened_at=opened,
        closed_at=closed,
        updated_at=max(moments, default=None),
        comment_count=_count(data, "comments"),
        reaction_count=_count(data, "reactions"),
        host_labels=_labels(data.get("labels")),
        author_association=association,
    )


def _address(data: Json) -> IssueAddress:
    """The issue's page, else its address in the API, else repository and number."""
    urls = [value for value in (data.get("html_url"), data.get("url")) if isinstance(value, str) and value.strip()]
    repository, number = data.get("repo") or data.get("repository_url"), data.get("number")
    if isinstance(repository, str) and isinstance(number, int):
        if "://" not in repository:
            repository = f"https://github.com/{repository}"
        urls.append(f"{repository}/issues/{number}")
    if not urls:
        raise _NotTakenError(Reason.BLANK, "neither html_url nor url identifies the issue", number)
    try:
        address = parse_issue_address(urls[0])
    except BadAddressError as error:
        raise _NotTakenError(Reason.BAD_URL, str(error), urls[0]) from error
    if isinstance(number, int) and str(number) != address.ref and address.ref.isdigit():
        message = f"number says {str(number)[:20]}, the address says {address.ref}"
        raise _NotTakenError(Reason.CONTRADICTION, message, urls[0])
    return address


def _text(data: Json, key: str) -> str:
    value = data.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _NotTakenError(Reason.SHAPE, f"{key} is not text", value)
    return clean_text(value)


def _moment(data: Json, key: str) -> dt.datetime | None:
    value = data.get(key)
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise _NotTakenError(Reason.DATE, f"{key} is not a date: {key} is not text", value)
    try:
        return parse_moment(value)
    except (ValueError, OverflowError) as error:
        raise _NotTakenError(Reason.DATE, f"{key} is not a date: {error}", value) from error


def _count(data: Json, key: str) -> int | None:
    """A count, given as a number, as a list of what was counted or as an object with `total_count`."""
    value = data.get(key)
    if isinstance(value, list):
        return len(value)
    if isinstance(value, dict):
        value = value.get("total_count")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_COUNT:
        raise _NotTakenError(Reason.SHAPE, f"{key} is not a count", value)
    return value


def _labels(value: object) -> list[str]:
    """Names of labels, given as texts or as objects with `name`; anything else among them is passed over."""
    if not isinstance(value, list):
        return []
    names: list[str] = []
    for item in value[:MAX_LABELS]:
        name = item.get("name") if isinstance(item, dict) else item
        if isinstance(name, str):
            names.append(clean_text(name).strip()[:MAX_LABEL])
    return list(dict.fromkeys(name for name in names if name))
