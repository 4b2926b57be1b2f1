"""An upgrade as a JSON document and as text for a terminal: the API and the command say the same."""

from collections.abc import Callable, Iterator, Sequence

from django.urls import reverse

from kb.core.setups.known_faults import BY, Bound, Row
from kb.exports import Document
from kb.exports.osv import bound_document
from kb.models import History
from kb.selectors.faults import FaultLine
from kb.selectors.upgrades import FixLine, Upgrade

# A beginning by these is a bound, not the first version with the fault.
BEGINNINGS = {"lines": "lines stand since", "reported": "first reported on"}
# Makes a path of ours a full address.
Absolute = Callable[[str], str]


def upgrade_document(upgrade: Upgrade, absolute: Absolute, *, fixes: Sequence[FixLine] | None = None) -> Document:
    """The upgrade; `fixes`: those of the history to show, all by default."""
    package = upgrade.package
    path = reverse("upgrade-between", args=(package.name, upgrade.start, upgrade.target))
    return {
        "package": package.name,
        "from_version": str(upgrade.start),
        "to_version": str(upgrade.target),
        "page": absolute(path),
        "history": _history(package.history),
        "unknown_versions": [
            str(version)
            for version in (upgrade.start, upgrade.target)
            if package.versions and package.release(version) is None
        ],
        "symptoms": [vars(count) for count in upgrade.symptoms],
        "fixed": [_fault(line, absolute) for line in upgrade.fixed],
        "first_seen": [_fault(line, absolute) for line in upgrade.new],
        "open": [_fault(line, absolute) for line in upgrade.open],
        "may_be_open": [_fault(line, absolute) for line in upgrade.maybe],
        "passed": upgrade.passed,
        "excluded": upgrade.excluded,
        "lost_fixes": [_fix(fix, absolute) for fix in upgrade.lost],
        "fix_count": len(upgrade.fixes),
        "fixes": [_fix(fix, absolute) for fix in (upgrade.fixes if fixes is None else fixes)],
    }


def _history(history: History | None) -> Document | None:
    if history is None:
        return None
    return {
        "repository": history.repository.url,
        "read_at": history.read_at.isoformat(),
        "newest_on": history.newest_on.isoformat() if history.newest_on else None,
        "commits": history.commits,
        "has_every_change": history.has_every_change,
    }


def _fault(line: FaultLine, absolute: Absolute) -> Document:
    fault = line.fault
    return {
        "issue": fault.url,
        "page": absolute(fault.page),
        "name": fault.short_name,
        "title": fault.title,
        "symptom": fault.family[0] or None,
        "severity": fault.severity.name.lower(),
        "is_certain": line.is_sure,
        "condition": fault.condition or None,
        **_bounds(line.outcome.row),
    }


def _bounds(row: Row | None) -> Document:
    return {
        "introduced": bound_document(row.introduced) if row else None,
        "fixed": bound_document(row.fixed) if row else None,
        "last_affected": bound_document(row.last_affected) if row else None,
    }


def _fix(fix: FixLine, absolute: Absolute) -> Document:
    return {
        "url": fix.url,
        "commit": fix.change.commit,
        "title": fix.title or None,
        "description": fix.description or None,
        "merged_at": fix.change.merged_at.isoformat(),
        "first_release": fix.first_release or None,
        "reverted_by": fix.change.reverted_by or None,
        "issues": [absolute(issue.get_absolute_url()) for issue in fix.issues],
    }


def upgrade_text(upgrade: Upgrade) -> str:
    """The upgrade for people at a terminal."""
    return "\n".join(_text(upgrade)) + "\n"


def _text(upgrade: Upgrade) -> Iterator[str]:
    package, target = upgrade.package, upgrade.target
    yield f"{package.name} {upgrade.start} → {target}"
    faults = f"{len(upgrade.fixed)} fault{'' if len(upgrade.fixed) == 1 else 's'} fixed"
    yield f"{faults}, {len(upgrade.new)} first seen, {len(upgrade.open)} still open, {len(upgrade.maybe)} maybe."
    if upgrade.excluded:
        yield f"{upgrade.excluded} excluded: the set-up does not meet their conditions."
    if package.history is None:
        yield f"No history of {package.name} was read: only what records state."
    else:
        yield f"History of {package.history.repository} read on {package.history.read_at:%Y-%m-%d}."
    parts = (
        (f"Fixed on the way to {target}", upgrade.fixed),
        ("Introduced or first reported on the way", upgrade.new),
        (f"Still open in {target}", upgrade.open),
        (f"May be open in {target}, first affected version unknown", upgrade.maybe),
    )
    for heading, lines in parts:
        yield from ("", f"{heading}: {len(lines)}")
        for line in lines:
            yield f"  {line.fault.title} [{line.fault.symptom or 'symptom unknown'}]"
            yield f"    {_said(line)}; {line.fault.url}"
    for heading, fixes in (
        (f"Fixes that {target} no longer has", upgrade.lost),
        ("Fixes in the history", upgrade.fixes),
    ):
        if fixes:
            yield from ("", f"{heading}: {len(fixes)}")
            yield from (f"  {fix.name} {_fix_text(fix)}" for fix in fixes)


def _fix_text(fix: FixLine) -> str:
    return f"“{fix.title}”" if fix.title else fix.description


def _said(line: FaultLine) -> str:
    begins = line.introduced
    fixed = line.fixed
    texts = []
    if begins:
        bound = BEGINNINGS.get(begins.by)
        texts.append(f"{bound} {begins.version}" if bound else f"introduced in {_version(begins)}")
    texts.append(f"fixed in {_version(fixed)}" if fixed else "no fixed version known")
    return ", ".join(texts)


def _version(bound: Bound) -> str:
    return f"{bound.version} ({BY.get(bound.by, 'not stated')})"
