"""The answer of a check: a set-up's findings as data, with what to change and what is not known."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from kb.core.advice import FENCED
from kb.core.check.schema import CheckData, CheckFindingData, SeverityName
from kb.core.check.texts import NamedText, limited
from kb.core.setups.facts import Setup
from kb.core.setups.incompatibilities import incompatibilities
from kb.core.setups.judging import Finding, findings
from kb.core.setups.known_faults import KnownFault, Severity
from kb.core.setups.reading import MAX_CHARACTERS, read_setup

SEVERITY_NAMES: dict[Severity, SeverityName] = {
    Severity.SILENT: "silent",
    Severity.HANG: "hang",
    Severity.CRASH: "crash",
    Severity.SETUP: "setup",
    Severity.OTHER: "other",
}
MOST_UNREAD = 5
LEAST_PACKAGES = 3
# So many of what little points at, and of what is fixed, are told one by one.
MOST_FOLDED = 100


def check(texts: Iterable[NamedText], faults: Iterable[KnownFault], without_history: Collection[str] = ()) -> CheckData:
    """Which of these faults, and which versions that do not go together, the set-up has that these texts are of.

    Raises `NotCheckedError`.
    """
    setup = read_setup(limited(texts))
    return answer(setup, (*faults, *incompatibilities()), without_history)


def names_packages(text: str) -> bool:
    """Whether the text is a set-up's: it has several versions of packages."""
    if len(text) > MAX_CHARACTERS:
        return False
    return len(read_setup([("text", text)]).packages) >= LEAST_PACKAGES


def answer(setup: Setup, faults: Sequence[KnownFault], without_history: Collection[str] = ()) -> CheckData:
    """What is to be said of a set-up, given these faults; of some packages no git history was read."""
    found = findings(setup, faults)
    verdicts = [finding.verdict for finding in found]
    return {
        "findings": [_finding(finding) for finding in _told(found)],
        "looked_at": [{"name": each.name, "form": each.form, "note": each.note} for each in setup.sources],
        "not_known": list(_not_known(setup, without_history)),
        "counts": {
            "affects": verdicts.count("affects"),
            "may": verdicts.count("may"),
            "weak": sum(finding.is_weak for finding in found),
            "fixed": verdicts.count("fixed"),
            "faults": len(faults),
            "packages": len(setup.packages),
        },
    }


def _told(found: Iterable[Finding]) -> Iterator[Finding]:
    """Without the rest of what little points at, and of what is fixed: those are counted."""
    folded = Counter[str]()
    for finding in found:
        kind = "weak" if finding.is_weak else finding.verdict
        folded[kind] += kind in ("weak", "fixed")
        if folded[kind] <= MOST_FOLDED:
            yield finding


def _finding(finding: Finding) -> CheckFindingData:
    fault = finding.fault
    return {
        "issue": fault.url,
        "page": fault.page,
        "kind": fault.kind,
        "title": fault.title,
        "symptom": fault.symptom,
        "severity": SEVERITY_NAMES[fault.severity],
        "verdict": finding.verdict,
        "weak": finding.is_weak,
        "package": finding.package,
        "installed": finding.installed,
        "first_fixed": finding.first_fixed,
        "reasons": list(finding.reasons),
        "unknown": list(finding.missing),
        "advice": list(_advice(finding)),
        "proof": list(_proof(finding)),
        "file": finding.place.file if finding.place else "",
        "line": finding.place.line if finding.place else None,
    }


def _advice(finding: Finding) -> Iterator[str]:
    if finding.verdict == "fixed":
        return
    if finding.first_fixed:
        yield f"Upgrade {finding.package} to {finding.first_fixed} or later."
    fault = finding.fault
    if fault.fix_line:
        yield fault.fix_line
    elif fault.workaround:
        yield fault.workaround
    elif fault.resolution and not finding.first_fixed:
        yield FENCED.sub("", fault.resolution).strip()


def _proof(finding: Finding) -> Iterator[str]:
    links = [finding.fault.url]
    for row in finding.fault.rows:
        if row.package == finding.package:
            links += [bound.evidence for bound in (row.introduced, row.fixed, row.last_affected) if bound]
    yield from dict.fromkeys(filter(None, links))


def _not_known(setup: Setup, without_history: Collection[str]) -> Iterator[str]:
    """What the answer does not cover."""
    unread = [source.name for source in setup.sources if not source.form]
    if unread:
        more = f" and {len(unread) - MOST_UNREAD} more" if len(unread) > MOST_UNREAD else ""
        yield f"Not recognised: {', '.join(unread[:MOST_UNREAD])}{more}."
    if not setup.packages:
        yield "No version of any package was read: add the output of “pip freeze”."
    elif not setup.lists_all_packages:
        yield "No whole list of packages was read: a package that is not named may still be installed."
    for package in sorted(set(setup.packages).intersection(without_history)):
        yield f"No git history of {package} was read: its versions come from threads and release dates."
