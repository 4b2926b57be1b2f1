"""Sharing a diagnosis: what would be stored, storing it, finding it by its link, deleting it, its expiry.

Only if somebody asks, always redacted, for a month at most: docs/decisions/0031.
"""

import datetime as dt
import hashlib
import hmac
import secrets
from collections.abc import Collection
from dataclasses import dataclass

import orjson
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone

from kb.core.diagnosis.schema import DiagnosisData
from kb.core.redaction import Kind, Piece, Redacted, redact
from kb.models import SharedDiagnosis
from kb.models.shared_diagnoses import MOST_SHARED, MOST_TITLE

# Random bytes: 192 bits in the link, as many in the link that deletes.
TOKEN_BYTES = 24
DAYS = (1, 7, 30)
MOST_A_DAY, MOST_PREVIEWS_A_DAY = 60, 600
TITLE = "title"


class TooLargeToShareError(Exception):
    """The redacted diagnosis is larger than what is stored."""

    def __init__(self) -> None:
        super().__init__(f"This result is larger than {MOST_SHARED // 1024} KiB, which is the most that is shared.")


@dataclass(frozen=True)
class Preview:
    """What would be stored: the title, the redacted diagnosis, and the JSON text that goes into the row."""

    title: str
    redacted: Redacted
    text: str

    @property
    def digest(self) -> str:
        """SHA-256 of all that would be stored."""
        return hashlib.sha256(f"{self.title}\n{self.text}".encode()).hexdigest()

    @property
    def pieces(self) -> list[Piece]:
        """The text, cut where something is hidden."""
        return self.redacted.pieces(self.text)

    @property
    def title_pieces(self) -> list[Piece]:
        """The title, cut where something is hidden."""
        return self.redacted.pieces(self.title)


@dataclass(frozen=True)
class Shared:
    """A stored diagnosis, and the secret of its delete link, of which only a digest is stored."""

    row: SharedDiagnosis
    secret: str


def preview(*, data: DiagnosisData, title: str = "", keep: Collection[Kind] = ()) -> Preview:
    """What sharing would store. Raises `TooLargeToShareError`."""
    redacted = redact({TITLE: title.strip()[:MOST_TITLE], **data}, keep=keep)
    stored = {key: value for key, value in redacted.data.items() if key != TITLE}
    text = orjson.dumps(stored, option=orjson.OPT_INDENT_2).decode()
    if len(text.encode()) > MOST_SHARED:
        raise TooLargeToShareError
    return Preview(redacted.data[TITLE][:MOST_TITLE], Redacted(stored, redacted.found, redacted.stand_ins), text)


def share(*, shown: Preview, days: int, owner: User | None = None) -> Shared:
    """Store what was shown. Raises `ValueError` for a number of days that is not offered."""
    if days not in DAYS:
        raise ValueError(f"{days} days are not offered")
    secret = secrets.token_urlsafe(TOKEN_BYTES)
    row = SharedDiagnosis.objects.create(
        token=secrets.token_urlsafe(TOKEN_BYTES),
        delete_digest=_digest(secret),
        owner=owner,
        title=shown.title,
        data_text=shown.text,
        hidden={kind.value: count for kind, count in shown.redacted.found.items()},
        expires_at=timezone.now() + dt.timedelta(days=days),
    )
    return Shared(row, secret)


def find(*, token: str) -> SharedDiagnosis:
    """What lies behind a link. Raises `SharedDiagnosis.DoesNotExist` when there is nothing, or it has expired."""
    return SharedDiagnosis.objects.get(token=token, expires_at__gt=timezone.now())


def data_of(row: SharedDiagnosis) -> DiagnosisData:
    """The diagnosis as it was stored."""
    data: DiagnosisData = orjson.loads(row.data_text)
    return data


def shared_by(*, owner: User) -> QuerySet[SharedDiagnosis]:
    """What somebody shares now, newest first."""
    return SharedDiagnosis.objects.filter(owner=owner, expires_at__gt=timezone.now()).order_by("-pk")


def may_delete(*, row: SharedDiagnosis, secret: str = "", user_id: int | None = None) -> bool:
    """Its owner may, and whoever has the secret of its delete link."""
    if user_id is not None and row.owner_id == user_id:
        return True
    return hmac.compare_digest(_digest(secret), row.delete_digest)


def delete(*, row: SharedDiagnosis) -> None:
    """Delete the row."""
    row.delete()


def forget_expired() -> int:
    """Delete what has expired. Returns how many."""
    return SharedDiagnosis.objects.filter(expires_at__lte=timezone.now()).delete()[0]


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
