"""Drafts from a confirmed diagnosis: an issue's record, or a signal of the catalogue, as YAML for somebody to finish.

A draft holds what is known and asks in comments for the rest; the checks of `check_records` and of the catalogue refuse
it until a person has written that. Nothing here writes into either.
"""

import re
from collections.abc import Mapping
from typing import Any

from django.utils import timezone
from django.utils.text import slugify

from kb.core.addresses import BadAddressError, parse_issue_address
from kb.diagnose.review import excerpt_of
from kb.models import DiagnosisFeedback, Issue
from kb.selectors.issues import with_details
from kb.starter.export import as_record, to_yaml

MOST_PATTERN, MOST_SIGNATURE = 300, 160
NUMBER = re.compile(r"\d+")
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
"""


def record_draft(row: DiagnosisFeedback) -> str:
    """The record of the issue that it was, with this failure's line among the signatures."""
    issue = _known(row.issue_url or (row.subject if row.about == DiagnosisFeedback.About.ISSUE else ""))
    record = as_record(issue) if issue else _new_record(row)
    line = _line(row)
    signature = _own_text(line)[:MOST_SIGNATURE].strip()
    if signature and signature not in record.get("recognise", ()):
        record["recognise"] = [*record.get("recognise", ()), signature]
    needed = ("url", "framework", "title", "summary", "resolution", "workaround", "labels", "fixes or evidence", "read")
    missing = [key for key in needed if not record.get(key) and key != "fixes or evidence"]
    head = RECORD_HEAD.format(day=timezone.now().date(), missing=", ".join(missing) or "nothing, but check every line")
    return head + to_yaml(record)


def signal_draft(row: DiagnosisFeedback) -> str:
    """A signal that knows the line which failed first."""
    excerpt = excerpt_of(row)
    text = _own_text(_line(row))
    signal = {
        "code": slugify(NUMBER.sub("", text).replace(".", "-"))[:48].strip("-"),
        "role": "root",
        "weight": 3,
        "pattern": pattern_of(text),
        "symptom": excerpt.get("symptom_code"),
        "run_symptom": excerpt.get("symptom"),
        "causes": [row.subject] if row.about == DiagnosisFeedback.About.CAUSE and row.is_right else [],
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
    short = text[:MOST_PATTERN].rstrip()
    return r"\d+".join(re.sub(r"([\\.^$*+?()\[\]{}|])", r"\\\1", part) for part in NUMBER.split(short))


def _line(row: DiagnosisFeedback) -> Mapping[str, Any]:
    """The line that failed first: the one that somebody named, if the excerpt has it."""
    lines = excerpt_of(row)["lines"]
    named = [line for line in lines if f"{line['file']}:{line['line']}" == row.really_at]
    return next(iter((*named, *lines)), {})


def _own_text(line: Mapping[str, Any]) -> str:
    """What the line says behind its heads."""
    text = str(line.get("text") or "").strip()
    return HEADS.sub("", text) or text


def _known(url: str) -> Issue | None:
    try:
        address = parse_issue_address(url)
    except BadAddressError:
        return None
    name = address.repository
    rows = Issue.objects.filter(repository__host=name.host, repository__full_name__iexact=name.full_name)
    return with_details(rows.filter(ref=address.ref)).first()


def _new_record(row: DiagnosisFeedback) -> dict[str, Any]:
    excerpt = excerpt_of(row)
    labels: dict[str, list[dict[str, str]]] = {"issue_type": [{"node": "bug", "why": "A run failed by it."}]}
    if excerpt.get("symptom_code"):
        labels["symptom"] = [{"node": excerpt["symptom_code"], "why": f"Diagnosed: {excerpt['sentence']}"[:240]}]
    if row.about == DiagnosisFeedback.About.CAUSE and row.is_right:
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
