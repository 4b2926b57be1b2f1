"""What GitHub's webhooks say: whether a delivery is genuine, and what it is about. Pure; nothing is stored here.

A delivery is a hint that something changed. The change itself is read from GitHub, so that a late, repeated or
reordered delivery can do no harm. See GitHub's "Validating webhook deliveries" and "Webhook events and payloads".
"""

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

import orjson

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
    """Was the body signed with one of the secrets? Takes the same time wherever the signature goes wrong."""
    # Only ASCII text can be compared in constant time.
    given = signature.encode("ascii", "replace")
    matches = [hmac.compare_digest(sign(body, secret).encode(), given) for secret in secrets]
    return any(matches)


def read_hint(body: bytes, *, event: str, content_type: str) -> Hint:
    """Say what a delivery of one of `EVENTS` is about. Raises `UnreadableDeliveryError`."""
    payload = _payload(body, content_type)
    return Hint(_matching(ACTION, payload.get("action")), _repository(payload), _ref(event, payload))


def _payload(body: bytes, content_type: str) -> Mapping[str, Any]:
    if content_type.partition(";")[0].strip().lower() == FORM:
        body = parse_qs(body.decode("utf-8", "replace")).get("payload", [""])[0].encode()
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise UnreadableDeliveryError("The body is no JSON.") from error
    if not isinstance(found, dict):
        raise UnreadableDeliveryError("The body is no JSON object.")
    return found


def _repository(payload: Mapping[str, Any]) -> str:
    """The repository's name; of one that was renamed or given away the old one, by which we know it."""
    name = _matching(FULL_NAME, _part(payload, "repository", "full_name"))
    if not name:
        return ""
    owner, _, own_name = name.partition("/")
    old_owner = _part(payload, "changes", "owner", "from", "user", "login") or _part(
        payload, "changes", "owner", "from", "organization", "login"
    )
    old_name = _part(payload, "changes", "repository", "name", "from")
    return _matching(FULL_NAME, f"{old_owner or owner}/{old_name or own_name}") or name


def _ref(event: str, payload: Mapping[str, Any]) -> str:
    if event not in ("issues", "issue_comment", "pull_request"):
        return ""
    number = _part(payload, "pull_request" if event == "pull_request" else "issue", "number")
    if not isinstance(number, int) or isinstance(number, bool) or not 0 < number < 10**10:
        raise UnreadableDeliveryError("The body does not say which number it is about.")
    return str(number)


def _part(payload: Any, *keys: str) -> Any:
    for key in keys:
        payload = payload.get(key) if isinstance(payload, dict) else None
    return payload


def _matching(form: re.Pattern[str], value: Any) -> str:
    return value if isinstance(value, str) and form.fullmatch(value) else ""
