"""A check as SARIF 2.1.0, which code hosts and editors show beside the lines that it names."""

from collections.abc import Iterable, Sequence

from kb.core.check.schema import CheckFindingData

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
JsonObject = dict[str, object]
LEVELS = {"affects": "error", "may": "note", "fixed": "none"}


def as_sarif(counted: Sequence[CheckFindingData], ignored: Iterable[CheckFindingData] = ()) -> JsonObject:
    """One run. What is fixed is left out; what is ignored is there, and marked as suppressed."""
    results = [_result(finding) for finding in counted if finding["verdict"] != "fixed"]
    results += [_result(finding) | {"suppressions": [{"kind": "external"}]} for finding in ignored]
    rules = {rule_id(finding): _rule(finding) for finding in (*counted, *ignored) if finding["verdict"] != "fixed"}
    driver: JsonObject = {"name": "Faultbook", "rules": list(rules.values())}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}


def rule_id(finding: CheckFindingData) -> str:
    """What names the fault: its report, or the title of versions that do not go together."""
    return finding["issue"] if finding["kind"] == "issue" else finding["title"]


def _rule(finding: CheckFindingData) -> JsonObject:
    return {
        "id": rule_id(finding),
        "shortDescription": {"text": finding["title"]},
        "helpUri": finding["issue"],
        "properties": {"tags": [finding["severity"], finding["kind"]]},
    }


def _result(finding: CheckFindingData) -> JsonObject:
    parts = [finding["title"], *finding["advice"], *(f"Unknown: {text}." for text in finding["unknown"])]
    result: JsonObject = {
        "ruleId": rule_id(finding),
        "level": LEVELS[finding["verdict"]],
        "message": {"text": " ".join(part if part.endswith(".") else f"{part}." for part in parts)},
        "properties": {"verdict": finding["verdict"], "package": finding["package"], "installed": finding["installed"]},
    }
    if finding["file"]:
        place: JsonObject = {"artifactLocation": {"uri": finding["file"]}}
        if finding["line"]:
            place["region"] = {"startLine": finding["line"]}
        result["locations"] = [{"physicalLocation": place}]
    return result
