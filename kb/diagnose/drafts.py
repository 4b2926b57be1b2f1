"""Drafts from a confirmed diagnosis: an issue's record, or a signal of the catalogue, as YAML for somebody to finish.

A draft holds what is known and asks in comments for the rest; `check_records` and `check_signals` refuse it until a
person has written that. Nothing here writes into either.
"""

import re
from typing import Any

from django.utils import timezone
from django.utils.text import slugify

from kb.core.addresses import BadAddressError
from kb.diagnose.review import excerpt_of, issues_at
from kb.models import DiagnosisFeedback
from kb.selectors.issues import with_details
from kb.starter.export import as_record, to_yaml

MOST_PATTERN, MOST_SIGNATURE = 300, 160
NUMBER = re.compile(r"\d+")
NEEDED = ("url", "framework", "title", "summary", "resolution", "workaround", "labels", "read")
HEADS = re.compile(r"^(?:\[[^\]]{1,60}\]:?\s*|\d{4}-\d\d-\d\d[T ][\d:.,]+\s*)+")
RECORD_HEAD = """\
# Draft of {day}, from a diagnosis that was confirmed. Read the thread before you use it.
# Still to write: {missing}.
# It goes to OWNER__NAME/NUMBER.yaml below kb/starter; `manage.py check_records` says what is wrong with it.
"""
SIGNAL_HEAD = """\
# Draft of {day}, from a diagnosis that was confirmed. It goes into a file of kb/core/diagnosis/signals/families.
# Still to write: code, means, check, source, and as misses a similar line that it must not match.
# Make the pattern no wider than the fault, and the example a line of your own in the same form.
# `manage.py check_signals` says what is wrong with it.
"""


def record_draft(row: DiagnosisFeedback) -> str:
    """The record of the issue that it was, with this failure's line among the signatures."""
    url = row.issue_url
    if not url and row.about == DiagnosisFeedback.About.ISSUE:
        url = row.subject
    try:
        issue = with_details(issues_at(url)).first()
    except BadAddressError:
        issue = None
    record = as_record(issue) if issue else _new_record(row)
    signature = _first_text(row)[:MOST_SIGNATURE].strip()
    signatures = record.get("recognise", [])
    if signature and signature not in signatures:
        record["recognise"] = [*signatures, signature]
    missing = ", ".join(key for key in NEEDED if not record.get(key))
    head = RECORD_HEAD.format(day=timezone.now().date(), missing=missing or "nothing, but check every line")
    return head + to_yaml(record)


def signal_draft(row: DiagnosisFeedback) -> str:
    """A signal that knows the line which failed first."""
    excerpt = excerpt_of(row)
    text = _first_text(row)
    signal = {
        "code": slugify(NUMBER.sub("", text).replace(".", "-"))[:48].strip("-"),
        "role": "root",
        "weight": 3,
        "pattern": pattern_of(text),
        "symptom": excerpt["symptom_code"],
        "run_symptom": excerpt["symptom"],
        "causes": [row.subject] if _is_confirmed_cause(row) else [],
        "scope": "rank",
        "means": "",
        "check": [],
        "source": row.issue_url,
        "examples": [text[:500]],
        "misses": [],
    }
    return SIGNAL_HEAD.format(day=timezone.now().date()) + to_yaml({"signals": [signal]})


def pattern_of(text: str) -> str:
    """The text as a pattern of RE2, any numbers in the place of its own."""
    escaped = re.sub(r"([\\.^$*+?()\[\]{}|])", r"\\\1", text[:MOST_PATTERN].rstrip())
    return NUMBER.sub(r"\\d+", escaped)


def _first_text(row: DiagnosisFeedback) -> str:
    """What the line that failed first says behind its heads: the line that somebody named, if the excerpt has it."""
    lines = excerpt_of(row)["lines"]
    if not lines:
        return ""
    named = [line for line in lines if f"{line['file']}:{line['line']}" == row.really_at]
    text = (named or lines)[0]["text"].strip()
    return HEADS.sub("", text) or text


def _new_record(row: DiagnosisFeedback) -> dict[str, Any]:
    excerpt = excerpt_of(row)
    labels = {"issue_type": [{"node": "bug", "why": "A run failed by it."}]}
    if excerpt["symptom_code"]:
        labels["symptom"] = [{"node": excerpt["symptom_code"], "why": f"Diagnosed: {excerpt['sentence']}"[:240]}]
    if _is_confirmed_cause(row):
        labels["root_cause"] = [{"node": row.subject, "why": "Confirmed by who ran it, and by review."}]
    return {
        "url": row.issue_url,
        "title": "",
        "summary": "",
        "resolution": "",
        "workaround": "",
        "labels": labels,
        "read": {},
    }


def _is_confirmed_cause(row: DiagnosisFeedback) -> bool:
    return row.is_right and row.about == DiagnosisFeedback.About.CAUSE
