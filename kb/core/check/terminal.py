"""A check as text for people: what affects first, then what may; the rest is counted."""

from collections.abc import Iterator

from kb.core.check.ignoring import Sifted
from kb.core.check.schema import CheckData, CheckFindingData

SEVERITIES = {
    "silent": "wrong result without an error",
    "hang": "hang",
    "crash": "crash or out of memory",
    "setup": "set-up failure",
    "other": "",
}
NO_PROOF = "No finding is not a proof of safety: only known faults are compared."


def as_text(data: CheckData, sifted: Sifted) -> str:
    """All of it, ending with a line break."""
    return "\n".join(_lines(data, sifted)) + "\n"


def _lines(data: CheckData, sifted: Sifted) -> Iterator[str]:
    affecting = [finding for finding in sifted.counted if finding["verdict"] == "affects"]
    may = [finding for finding in sifted.counted if finding["verdict"] == "may" and not finding["weak"]]
    weak = data["counts"]["weak"]
    for title, findings in (("Affects you", affecting), ("May affect you", may)):
        if findings:
            yield f"{title} ({len(findings)})"
            for finding in findings:
                yield from _finding(finding)
            yield ""
    if weak:
        yield f"Less certain: {weak}. Add configurations and the launch command to tell."
    for entry in sifted.expired:
        yield f"No longer ignored since {entry.until}: {entry.issue} ({entry.reason})"
    counts = data["counts"]
    yield (
        f"{len(affecting)} affect, {len(may) + weak} may, {counts['fixed']} fixed, "
        f"{len(sifted.ignored)} ignored, of {counts['faults']} known faults."
    )
    read = ", ".join(f"{source['name']} ({source['form'] or 'not recognised'})" for source in data["looked_at"])
    yield f"Read: {read}. {counts['packages']} packages."
    yield from data["not_known"]
    yield NO_PROOF


def _finding(finding: CheckFindingData) -> Iterator[str]:
    kind = SEVERITIES[finding["severity"]]
    yield f"  {finding['title']}{f' [{kind}]' if kind else ''}"
    yield f"    {finding['issue']}"
    for label, texts in (("do", finding["advice"]), ("why", finding["reasons"]), ("add", finding["unknown"])):
        for text in texts:
            yield f"    {label}: {' '.join(text.split())}"
