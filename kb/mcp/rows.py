"""An issue in the shape of a tool's answer. Mirrored words go into `untrusted_…` fields."""

from collections.abc import Sequence

from kb.core.tools import answers
from kb.core.tools.catalogue import RECORDS
from kb.core.tools.fault_rows import (
    LINE,
    LONG,
    MOST_FIXES,
    MOST_LINES,
    NAME,
    SENTENCE,
    TITLE,
    certainty_of,
    id_of,
    names,
    range_in_words,
)
from kb.core.tools.texts import shown
from kb.models import Issue, Label
from kb.selectors.affected import ranges_of
from kb.selectors.issues import labels_by_axis
from kb.selectors.other_reports import reports_of

LONG_QUOTE, MOST_REPORTS = 1_200, 8


def fault_answer(issue: Issue, site: str) -> answers.FaultAnswer:
    """What is known of one issue, read with all details (`kb.selectors.issues.for_detail`)."""
    labels = {group.axis.code: group.labels for group in labels_by_axis(issue, house=True)}
    told = [label for axis in ("symptom", "root_cause", "fix_pattern") for label in labels.get(axis, ())]
    page = issue.get_absolute_url()
    id_ = id_of(issue.url, page)
    answer = answers.FaultAnswer(
        id=id_,
        address=issue.url,
        page=site + page,
        resource=RECORDS + id_.replace("/", "%2F").replace("#", "%23"),
        certainty=certainty_of(issue.certainty, is_curated=bool(issue.is_curated)),
        framework=issue.repository.framework.name,
        state=issue.state,
        opened_on=issue.opened_at.date().isoformat() if issue.opened_at else "",
        symptoms=_names(labels.get("symptom", ())),
        causes=_names(labels.get("root_cause", ())),
        fix_patterns=_names(labels.get("fix_pattern", ())),
        labelled_by=list(dict.fromkeys(shown(label.source.name, NAME) for label in told)),
        do_now=shown(issue.fix_line, SENTENCE),
        resolution=shown(issue.resolution, LONG),
        workaround=shown(issue.workaround, LONG),
        affected=[range_in_words(row) for row in ranges_of(issue)],
        fixed_in=shown(issue.fixed_version, NAME),
        fixes=_fixes(issue),
        untrusted_lines=[shown(line, LINE) for line in issue.recognise[:MOST_LINES]],
        read_on=issue.read_on.isoformat() if issue.read_on else "",
        other_reports=[report.url for report in reports_of(issue)[:MOST_REPORTS]],
    )
    if issue.is_curated:
        answer.title, answer.summary = shown(issue.heading, TITLE), shown(issue.summary, LONG)
    if not issue.heading:
        answer.untrusted_title = shown(issue.shown_title, TITLE)
    answer.untrusted_quote = "" if issue.is_curated else shown(issue.shown_body, LONG_QUOTE)
    return answer


def _fixes(issue: Issue) -> list[answers.Fix]:
    return [
        answers.Fix(
            address=fix.url, merged_on=fix.merged_on.isoformat() if fix.merged_on else "", lines=fix.lines_changed
        )
        for fix in issue.fixes.all()[:MOST_FIXES]
    ]


def _names(labels: Sequence[Label]) -> list[str]:
    return names(label.node.name for label in labels)
