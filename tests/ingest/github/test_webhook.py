"""What a webhook's delivery says: its signature, and what it is about."""

from typing import Any
from urllib.parse import urlencode

import orjson
import pytest

from ingest.hosts.webhook import Hint, UnreadableDeliveryError, is_genuine, read_hint, sign

# GitHub's own example, in "Validating webhook deliveries".
SECRET, BODY = "It's a Secret to Everybody", b"Hello, World!"
SIGNATURE = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
REPOSITORY = {"full_name": "octo/engine"}


def hint(event: str, payload: dict[str, Any]) -> Hint:
    return read_hint(orjson.dumps(payload), event=event, content_type="application/json")


def test_signs_as_github_does() -> None:
    assert sign(BODY, SECRET) == SIGNATURE
    assert is_genuine(BODY, signature=SIGNATURE, secrets=[SECRET])


@pytest.mark.parametrize("secrets", [["new", SECRET], [SECRET, "new"]])
def test_either_secret_will_do_while_one_takes_the_others_place(secrets: list[str]) -> None:
    assert is_genuine(BODY, signature=SIGNATURE, secrets=secrets)


@pytest.mark.parametrize(
    "signature",
    [
        "",
        "sha256=",
        SIGNATURE[:-1],
        SIGNATURE.removeprefix("sha256="),
        SIGNATURE.upper(),
        "sha256=é",
        "sha1=" + "0" * 40,
    ],
)
def test_no_other_signature_will_do(signature: str) -> None:
    assert not is_genuine(BODY, signature=signature, secrets=[SECRET])


def test_a_changed_body_is_not_genuine() -> None:
    assert not is_genuine(BODY + b" ", signature=SIGNATURE, secrets=[SECRET])


def test_without_a_secret_nothing_is_genuine() -> None:
    assert not is_genuine(BODY, signature=SIGNATURE, secrets=[])


@pytest.mark.parametrize(
    ("event", "payload"),
    [
        ("issues", {"action": "edited", "issue": {"number": 7}}),
        ("issue_comment", {"action": "edited", "issue": {"number": 7}, "comment": {"id": 1}}),
        ("pull_request", {"action": "edited", "pull_request": {"number": 7}}),
    ],
)
def test_names_the_number(event: str, payload: dict[str, Any]) -> None:
    assert hint(event, payload | {"repository": REPOSITORY}) == Hint("edited", "octo/engine", "7")


def test_a_form_holds_the_same() -> None:
    body = urlencode({"payload": orjson.dumps({"issue": {"number": 7}, "repository": REPOSITORY}).decode()}).encode()
    found = read_hint(body, event="issues", content_type="application/x-www-form-urlencoded; charset=utf-8")
    assert found == Hint("", "octo/engine", "7")


@pytest.mark.parametrize(
    ("changes", "known_as"),
    [
        ({"repository": {"name": {"from": "motor"}}}, "octo/motor"),
        ({"owner": {"from": {"user": {"login": "someone"}}}}, "someone/engine"),
        ({"owner": {"from": {"organization": {"login": "a-firm"}}}}, "a-firm/engine"),
    ],
)
def test_a_renamed_repository_is_called_by_the_name_that_we_know(changes: dict[str, Any], known_as: str) -> None:
    assert (
        hint("repository", {"action": "renamed", "changes": changes, "repository": REPOSITORY}).repository == known_as
    )


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'"text"', b"{}", b'{"issue": {"number": true}}', b'{"issue": {"number": -1}}',
             b'{"issue": {"number": "7"}}', b'{"issue": 7}', b"\xff"]
)  # fmt: skip
def test_says_what_it_cannot_read(body: bytes) -> None:
    with pytest.raises(UnreadableDeliveryError):
        read_hint(body, event="issues", content_type="application/json")


@pytest.mark.parametrize("name", ["octo", "octo/en\x00gine", "a/b/c", 7, None, "x" * 300 + "/y"])
def test_takes_no_name_that_no_repository_can_have(name: object) -> None:
    assert hint("label", {"repository": {"full_name": name}}).repository == ""
