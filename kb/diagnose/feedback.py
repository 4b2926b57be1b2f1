"""What people say of a diagnosis: right or wrong, and what it was. Redacted and shown before it is stored."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from django.contrib.auth.models import User
from django.utils import timezone

from kb.core.redaction import Redacted, redact
from kb.models import DiagnosisFeedback
from kb.models.shared_diagnoses import MOST_EXCERPT, MOST_NOTE, MOST_WORDS

About = DiagnosisFeedback.About
MOST_A_DAY = 60
MOST_LINES, MOST_TEXT = 5, 1_000
# What of the diagnosis a reviewer needs, besides its lines.
KEPT = ("schema", "signals_version", "verdict", "sentence", "stage", "iteration", "symptom", "symptom_code")
LINE_KEPT = ("file", "line", "text", "role", "signal", "indicated")
DECLINED_KEPT = dt.timedelta(days=90)


@dataclass(frozen=True)
class Thing:
    """Something in a diagnosis that can be right or wrong. `key` names it in a form."""

    about: About
    subject: str
    words: str

    @property
    def key(self) -> str:
        """What a form sends."""
        return f"{self.about}|{self.subject}"


@dataclass(frozen=True)
class Said:
    """What somebody says of one thing. `really_at`: FILE:LINE; `issue_url`: the issue that it was."""

    thing: Thing
    is_right: bool
    really_at: str = ""
    issue_url: str = ""
    note: str = ""


@dataclass(frozen=True)
class FeedbackPreview:
    """What would be stored, redacted. `found`: how much of each kind was hidden."""

    said: Said
    excerpt: dict[str, Any]
    signature: Mapping[str, Any]
    redacted: Redacted

    @property
    def excerpt_text(self) -> str:
        """The part of the diagnosis that goes with it, as JSON."""
        return orjson.dumps(self.excerpt, option=orjson.OPT_INDENT_2).decode()


def things(data: Mapping[str, Any]) -> list[Thing]:
    """What in this diagnosis can be called right or wrong: its first line, its causes, its known issues."""
    found = []
    if line := next((line for line in data.get("lines") or () if line.get("indicated")), None):
        where = f"{line['file']}:{line['line']}"[-MOST_WORDS:]
        found.append(Thing(About.LINE, where, f"{where}: {line['text']}"[:200]))
    for cause in data.get("causes") or ():
        found.append(Thing(About.CAUSE, cause["code"], str(cause.get("name") or cause["code"])))
    for issue in data.get("issues") or ():
        address = str(issue.get("source_url") or issue.get("url") or "")
        if address:
            found.append(Thing(About.ISSUE, address[:MOST_WORDS], str(issue.get("title") or address)[:200]))
    return found


def preview(*, data: Mapping[str, Any], said: Said) -> FeedbackPreview:
    """What would be stored of it."""
    signature = data.get("signature") or {}
    redacted = redact(
        {
            "nodes": data.get("nodes") or [],
            "thing": {_key(said.thing): said.thing.subject, "words": said.thing.words},
            "really_at": said.really_at,
            "note": said.note,
            "text": str(signature.get("text") or ""),
            "excerpt": _excerpt(data),
        }
    )
    shown = redacted.data
    thing = Thing(said.thing.about, shown["thing"][_key(said.thing)][:MOST_WORDS], shown["thing"]["words"])
    words = Said(
        thing, said.is_right, shown["really_at"][:MOST_WORDS], said.issue_url[:MOST_WORDS], shown["note"][:MOST_NOTE]
    )
    return FeedbackPreview(words, shown["excerpt"], {**signature, "text": shown["text"][:MOST_NOTE]}, redacted)


def send(*, shown: FeedbackPreview, sender: User | None = None) -> DiagnosisFeedback:
    """Store what was shown, for staff to review."""
    signature, said = shown.signature, shown.said
    has_signature = bool(signature.get("key"))
    return DiagnosisFeedback.objects.create(
        about=said.thing.about,
        subject=said.thing.subject,
        is_right=said.is_right,
        really_at=said.really_at,
        issue_url=said.issue_url,
        note=said.note,
        signature_version=signature["version"] if has_signature else None,
        signature_key=signature["key"] if has_signature else "",
        signature_text=signature["text"] if has_signature else "",
        excerpt_text=shown.excerpt_text,
        sender=sender,
    )


def forget_declined() -> int:
    """Delete what was declined a while ago; until then a decision can be undone. Returns how many."""
    decided = timezone.now() - DECLINED_KEPT
    old = DiagnosisFeedback.objects.filter(state=DiagnosisFeedback.State.DECLINED).exclude(decisions__at__gt=decided)
    return old.delete()[1].get("kb.DiagnosisFeedback", 0)


def _key(thing: Thing) -> str:
    """Addresses of issues are not redacted: they go by the name that `redact` knows for them."""
    return "source_url" if thing.about is About.ISSUE else "subject"


def _excerpt(data: Mapping[str, Any]) -> dict[str, Any]:
    lines = sorted(data.get("lines") or (), key=lambda line: not line.get("indicated"))[:MOST_LINES]
    excerpt: dict[str, Any] = {key: data.get(key) for key in KEPT}
    excerpt["lines"] = [
        {key: line.get(key) for key in LINE_KEPT} | {"text": str(line.get("text", ""))[:MOST_TEXT]} for line in lines
    ]
    excerpt["causes"] = [{"code": cause["code"], "why": cause.get("why", "")} for cause in data.get("causes") or ()]
    while len(orjson.dumps(excerpt, option=orjson.OPT_INDENT_2)) > MOST_EXCERPT // 2 and excerpt["lines"]:
        excerpt["lines"].pop()
    return excerpt
