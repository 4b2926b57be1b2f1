"""A diagnosis and a check in the shapes of the tools' answers: words of the log or set-up are marked as untrusted."""

from kb.core.check.schema import CheckData, CheckFindingData
from kb.core.diagnosis.schema import CauseProbability, DiagnosedCause, DiagnosisData, KnownIssue, RestartData
from kb.core.tools import answers
from kb.core.tools.fault_rows import NAME, SENTENCE, TITLE, certainty_of, id_of
from kb.core.tools.texts import shown

LINES, CAUSES, CHECKS, ISSUES, SUSPECTS, NOT_KNOWN = 3, 3, 4, 3, 4, 3
FINDINGS = 4
MORE = 4
LINE, ADVICE = 300, 260


def log_answer(data: DiagnosisData, site: str, *, more: bool) -> answers.LogAnswer:
    """The diagnosis in short."""
    by = MORE if more else 1
    lines = sorted(data["lines"], key=lambda line: not line["indicated"])[: LINES * by]
    return answers.LogAnswer(
        verdict=data["verdict"],
        sentence=shown(data["sentence"], ADVICE),
        symptom=data["symptom_code"] or data["symptom"] or "",
        stage=data["stage"] or "",
        iteration=data["iteration"],
        lines=[
            answers.Line(
                line=line["line"], is_first_failure=line["indicated"], untrusted_quote=shown(line["text"], LINE * by)
            )
            for line in lines
        ],
        untrusted_nodes=[shown(node["name"], NAME) for node in data["nodes"][:SUSPECTS]],
        suspect_ranks=[rank["rank"] for rank in data["ranks"][:SUSPECTS]],
        causes=[_cause(cause) for cause in data["causes"][: CAUSES * by]],
        do_now=[shown(check, ADVICE) for check in data["checks"][: CHECKS * by]],
        restart=_restart(data.get("restart")),
        known_faults=[_known_fault(issue, site) for issue in data.get("issues", [])[: ISSUES * by]],
        playbooks=[site + playbook["url"] for playbook in data.get("playbooks", [])[:ISSUES]],
        not_known=[shown(text, ADVICE) for text in data["unknown"][:NOT_KNOWN]],
        left_out="More known faults: more=true." if len(data.get("issues", [])) > ISSUES * by else "",
    )


def setup_answer(data: CheckData, site: str, *, more: bool) -> answers.SetupAnswer:
    """The findings of a check, the most pressing first, in short."""
    by = MORE if more else 1
    telling = [finding for finding in data["findings"] if finding["verdict"] != "fixed"]
    counts = data["counts"]
    return answers.SetupAnswer(
        affects=counts["affects"],
        may=counts["may"],
        compared=counts["faults"],
        packages=counts["packages"],
        findings=[_finding(finding, site) for finding in telling[: FINDINGS * by]],
        not_known=[shown(text, ADVICE) for text in data["not_known"][: NOT_KNOWN * by]],
        left_out="More findings than these: more=true." if len(telling) > FINDINGS * by else "",
    )


def _finding(finding: CheckFindingData, site: str) -> answers.Finding:
    return answers.Finding(
        id=id_of(finding["issue"], finding["page"]),
        address=finding["issue"],
        page=site + finding["page"] if finding["page"] else "",
        verdict=finding["verdict"],
        severity=finding["severity"],
        untrusted_title=shown(finding["title"], TITLE),
        package=finding["package"],
        installed=shown(finding["installed"], NAME),
        first_fixed=finding["first_fixed"],
        advice=[shown(text, ADVICE) for text in finding["advice"][:2]],
        untrusted_reasons=[shown(text, SENTENCE) for text in finding["reasons"][:2]],
    )


def _cause(cause: DiagnosedCause) -> answers.CauseOfLog:
    counted = cause.get("probability")
    return answers.CauseOfLog(
        code=cause["code"],
        name=cause.get("name", cause["code"]),
        likelihood=round(cause["likelihood"], 3),
        counted=_counted(counted) if counted else None,
    )


def _counted(counted: CauseProbability) -> answers.Counted:
    return answers.Counted(
        share=round(counted["value"], 3),
        low=round(counted["low"], 3),
        high=round(counted["high"], 3),
        n=counted["n"],
        source=counted["source"],
    )


def _restart(restart: RestartData | None) -> answers.Restart | None:
    if restart is None:
        return None
    right = restart["right"]
    measured = _counted({**right, "source": "logs that nobody had seen before"}) if right else None
    return answers.Restart(helps=restart["helps"], why=shown(restart["why"], ADVICE), right=measured)


def _known_fault(issue: KnownIssue, site: str) -> answers.KnownFault:
    return answers.KnownFault(
        id=id_of(issue["source_url"], issue["url"]),
        address=issue["source_url"],
        page=site + issue["url"],
        relation=issue.get("relation", ""),
        certainty=certainty_of(issue.get("certainty", ""), is_curated=bool(issue["resolution"])),
        untrusted_title=shown(issue["title"], TITLE),
        untrusted_why=shown(issue["why"], SENTENCE),
        do_now=shown(issue.get("fix_line", "") or issue["resolution"], ADVICE),
        fix=issue["fix_url"],
    )
