"""A diagnosis on its way through somebody's browser: nothing is stored, and what comes back is what we gave out.

The page's forms carry the data signed and packed. Data that was changed, or is older than a day, is refused.
"""

from typing import Any

import orjson
from django.core import signing

from kb.core.diagnosis.schema import DiagnosisData
from kb.models.shared_diagnoses import MOST_SHARED

SALT = "kb.diagnose.signed_data"
MOST_SECONDS = 24 * 3600
# Packed and signed: what a form may bring, in characters.
MOST_SEALED = 2_000_000


class SealError(Exception):
    """The data is not what was signed here, or is older than a day."""


class _Serializer:
    """JSON that keeps the order of keys."""

    def dumps(self, obj: Any) -> bytes:
        return orjson.dumps(obj)

    def loads(self, data: bytes) -> Any:
        return orjson.loads(data)


def sealed(data: DiagnosisData) -> str:
    """The data, signed and packed, for a form; empty when it is too large to be shared."""
    if len(orjson.dumps(data)) > MOST_SHARED:
        return ""
    text = signing.dumps(data, salt=SALT, serializer=_Serializer, compress=True)
    return text if len(text) <= MOST_SEALED else ""


def unsealed(text: str) -> DiagnosisData:
    """The data of a signed text. Raises `SealError`."""
    try:
        data: DiagnosisData = signing.loads(text, salt=SALT, serializer=_Serializer, max_age=MOST_SECONDS)
    except signing.SignatureExpired as error:
        raise SealError("This result is more than a day old. Diagnose the log again, and share it then.") from error
    except (signing.BadSignature, ValueError) as error:
        raise SealError("This is not a result that was made here, or a part of it was lost on its way.") from error
    return data
