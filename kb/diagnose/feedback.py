"""What people say of a diagnosis: right or wrong, and what it was. Redacted and shown before it is stored."""

import datetime as dt
from dataclasses import dataclass
from typing import TypedDict

import orjson
from django.contrib.auth.models import User
from django.utils import timezone

from kb.core.diagnosis.schema import DiagnosisData, SignatureData
from kb.core.redaction import Redacted, redact
from kb.models import DiagnosisFeedback
from kb.models.shared_diagnoses import MOST_EXCERPT, MOST_NOTE, MOST_WORDS

About = DiagnosisFeedback.About
MOST_A_DAY = 60
MOST_LINES, MOST_TEXT = 5, 1_000
DECLINED_KEPT = dt.timedelta(days=90)


class ExcerptLine(TypedDict):
    """A line of an excerpt."""

    file: str
    line: int
    text: str
    role: str
    signal: str | None
    indicated: bool


class ExcerptCause(TypedDict):
    """A cause of an excerpt."""

    code: str
    why: str


class Excerpt(TypedDict):
    """What of a diagnosis is stored for its reviewer."""

    schema: int
    signals_version: int
    verdict: str
    sentence: str
    stage: str | None
    iteration: int | None
    symptom: str | None
    symptom_code: str | None
    lines: list[ExcerptLine]
    causes: list[ExcerptCause]


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
class Feedback:
    """What somebody says of one thing. `really_at`: FILE:LINE; `issue_url`: the issue that it was."""

    thing: Thing
    is_right: bool
    really_at: str = ""
    issue_url: str = ""
    note: str = ""


@dataclass(frozen=True)
class FeedbackPreview:
    """What would be stored, redacted."""

    feedback: Feedback
    excerpt: Excerpt
    signature: SignatureData | None
    redacted: Redacted

    @property
    def excerpt_text(self) -> str:
        """The part of the diagnosis that goes with it, as JSON."""
        return orjson.dumps(self.excerpt, option=orjson.OPT_INDENT_2).decode()


def things(data: DiagnosisData) -> list[Thing]:
    """What in this diagnosis can be right or wrong: its first line, its causes, its known issues."""
    listed = []
    for line in data["lines"]:
        if line["indicated"]:
            place = f"{line['file']}:{line['line']}"[-MOST_WORDS:]
            listed.append(Thing(About.LINE, place, f"{place}: {line['text']}"[:200]))
            break
    for cause in data["causes"]:
        listed.append(Thing(About.CAUSE, cause["code"], cause.get("name") or cause["code"]))
    for issue in data.get("issues", []):
        address = issue["source_url"] or issue["url"]
        if address:
            listed.append(Thing(About.ISSUE, address[:MOST_WORDS], (issue["title"] or address)[:200]))
    return listed


def preview(*, data: DiagnosisData, feedback: Feedback) -> FeedbackPreview:
    """What would be stored of it."""
    thing, signature = feedback.thing, data["signature"]
    # `redact` leaves addresses of issues alone where they stand under this key.
    subject = "source_url" if thing.about is About.ISSUE else "subject"
    redacted = redact(
        {
            "nodes": data["nodes"],
            "thing": {subject: thing.subject, "words": thing.words},
            "really_at": feedback.really_at,
            "note": feedback.note,
            "text": signature["text"] if signature else "",
            "excerpt": _excerpt(data),
        }
    )
    shown = redacted.data
    redacted_feedback = Feedback(
        thing=Thing(thing.about, shown["thing"][subject][:MOST_WORDS], shown["thing"]["words"]),
        is_right=feedback.is_right,
        really_at=shown["really_at"][:MOST_WORDS],
        issue_url=feedback.issue_url[:MOST_WORDS],
        note=shown["note"][:MOST_NOTE],
    )
    if signature:
        signature = {**signature, "text": shown["text"][:MOST_NOTE]}
    return FeedbackPreview(redacted_feedback, shown["excerpt"], signature, redacted)


def send(*, shown: FeedbackPreview, sender: User | None = None) -> DiagnosisFeedback:
    """Store what was shown, for staff to review."""
    feedback, signature = shown.feedback, shown.signature
    return DiagnosisFeedback.objects.create(
        about=feedback.thing.about,
        subject=feedback.thing.subject,
        is_right=feedback.is_right,
        really_at=feedback.really_at,
        issue_url=feedback.issue_url,
        note=feedback.note,
        signature_version=signature["version"] if signature else None,
        signature_key=signature["key"] if signature else "",
        signature_text=signature["text"] if signature else "",
        excerpt_text=shown.excerpt_text,
        sender=sender,
    )


def forget_declined() -> int:
    """Delete what was declined a while ago; until then a decision can be undone. Returns how many."""
    earliest = timezone.now() - DECLINED_KEPT
    old = DiagnosisFeedback.objects.filter(state=DiagnosisFeedback.State.DECLINED).exclude(decisions__at__gt=earliest)
    return old.delete()[1].get("kb.DiagnosisFeedback", 0)


def _excerpt(data: DiagnosisData) -> Excerpt:
    lines = sorted(data["lines"], key=lambda line: not line["indicated"])[:MOST_LINES]
    excerpt: Excerpt = {
        "schema": data["schema"],
        "signals_version": data["signals_version"],
        "verdict": data["verdict"],
        "sentence": data["sentence"],
        "stage": data["stage"],
        "iteration": data["iteration"],
        "symptom": data["symptom"],
        "symptom_code": data["symptom_code"],
        "lines": [
            {
                "file": line["file"],
                "line": line["line"],
                "text": line["text"][:MOST_TEXT],
                "role": line["role"],
                "signal": line["signal"],
                "indicated": line["indicated"],
            }
            for line in lines
        ],
        "causes": [{"code": cause["code"], "why": cause["why"]} for cause in data["causes"]],
    }
    while len(orjson.dumps(excerpt, option=orjson.OPT_INDENT_2)) > MOST_EXCERPT // 2 and excerpt["lines"]:
        excerpt["lines"].pop()
    return excerpt
