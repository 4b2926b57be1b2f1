"""What GitHub's webhooks say: whether a delivery is genuine, and what it is about. Pure; nothing is stored here.

A delivery is a hint that something changed. The change itself is read from GitHub, so that a late, repeated or
reordered delivery can do no harm. See GitHub's "Validating webhook deliveries" and "Webhook events and payloads".
"""

import hashlib
import hmac
import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import parse_qs

import orjson

from ingest.hosts.payload import Payload

EVENTS = frozenset({"issues", "issue_comment", "pull_request", "repository", "label", "ping"})
MOST_BYTES = 25 * 1024 * 1024
PREFIX = "sha256="
GUID = re.compile(r"[A-Za-z0-9-]{1,80}")
FULL_NAME = re.compile(r"[A-Za-z0-9_.-]{1,99}/[A-Za-z0-9_.-]{1,100}")
ACTION = re.compile(r"[a-z_]{1,40}")
FORM = "application/x-www-form-urlencoded"


class UnreadableDeliveryError(ValueError):
    """Not what GitHub sends; the message says why, in plain words."""


@dataclass(frozen=True, slots=True)
class Hint:
    """What a delivery is about: a repository by a name that it has or had, and the number of an issue, if one."""

    action: str = ""
    repository: str = ""
    ref: str = ""


def sign(body: bytes, secret: str) -> str:
    """The signature's header for a body."""
    return PREFIX + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def is_genuine(body: bytes, *, signature: str, secrets: Sequence[str]) -> bool:
    """Return whether the body was signed with one of the secrets; takes as long wherever the signature differs."""
    # Only ASCII text can be compared in constant time.
    ascii_signature = signature.encode("ascii", "replace")
    matches = [hmac.compare_digest(sign(body, secret).encode(), ascii_signature) for secret in secrets]
    return any(matches)


def read_hint(body: bytes, *, event: str, content_type: str) -> Hint:
    """Say what a delivery of one of `EVENTS` is about. Raises `UnreadableDeliveryError`."""
    if content_type.partition(";")[0].strip().lower() == FORM:
        body = parse_qs(body.decode("utf-8", "replace")).get("payload", [""])[0].encode()
    try:
        data = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise UnreadableDeliveryError("The body is not valid JSON.") from error
    if not isinstance(data, dict):
        raise UnreadableDeliveryError("The body is not a JSON object.")
    payload = Payload(data)
    return Hint(_matching(ACTION, payload.get("action")), _repository_of(payload), _ref_of(event, payload))


def _repository_of(payload: Payload) -> str:
    """The repository's name; of one that was renamed or given away the old one, by which we know it."""
    name = _matching(FULL_NAME, payload.part("repository").get("full_name"))
    if not name:
        return ""
    owner, _, repository = name.partition("/")
    changes = payload.part("changes")
    former = changes.part("owner").part("from")
    old_owner = former.part("user").get("login") or former.part("organization").get("login") or owner
    old_name = changes.part("repository").part("name").get("from") or repository
    return _matching(FULL_NAME, f"{old_owner}/{old_name}") or name


def _ref_of(event: str, payload: Payload) -> str:
    if event not in ("issues", "issue_comment", "pull_request"):
        return ""
    number = payload.part("pull_request" if event == "pull_request" else "issue").number("number")
    if number is None:
        raise UnreadableDeliveryError("The body names no issue number.")
    return str(number)


def _matching(form: re.Pattern[str], value: object) -> str:
    return value if isinstance(value, str) and form.fullmatch(value) else ""
