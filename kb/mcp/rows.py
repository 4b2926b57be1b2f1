"""Issues and cards in the shapes of the tools' answers. Mirrored words go into `untrusted_…` fields."""

from collections.abc import Iterable, Mapping, Sequence

from kb.core.setups.known_faults import Row
from kb.core.tools import answers
from kb.core.tools.catalogue import RECORDS
from kb.core.tools.texts import shown
from kb.models import Issue, Label
from kb.search import Card
from kb.selectors.affected import ranges_of
from kb.selectors.issues import labels_by_axis
from kb.selectors.other_reports import reports_of

TITLE, SUMMARY, QUOTE, SENTENCE, NAME = 160, 140, 160, 200, 80
LONG, LONG_QUOTE, LINE = 2_400, 1_200, 300
MOST_LINES, MOST_FIXES, MOST_REPORTS, MOST_NAMES = 6, 5, 8, 4


def fault_row(card: Card, site: str, *, more: bool) -> answers.FaultRow:
    """A result of the search: our words of a record, the mirrored ones of a report."""
    length = 3 if more else 1
    row = answers.FaultRow(
        id=reference(card.repository, card.url),
        address=card.url,
        page=site + card.page if more else "",
        certainty=certainty_of(card.certainty, is_curated=card.curated),
        framework=card.framework_name,
        symptoms=names(card.symptoms),
        causes=names(card.causes),
        do_now=shown(card.fix_line, SENTENCE),
        fixed_in=shown(card.fixed_version, NAME),
        fix=card.fix.url if card.fix else "",
    )
    if card.curated:
        row.title, row.summary = shown(card.title, TITLE), shown(card.start, SUMMARY * length)
    else:
        row.untrusted_title, row.untrusted_quote = shown(card.title, TITLE), shown(card.start, QUOTE * length)
    return row


def fault_answer(issue: Issue, site: str) -> answers.FaultAnswer:
    """What is known of one issue, read with all details (`kb.selectors.issues.for_detail`)."""
    labels = {group.axis.code: group.labels for group in labels_by_axis(issue, house=True)}
    told = [label for axis in ("symptom", "root_cause", "fix_pattern") for label in labels.get(axis, ())]
    id_ = reference(issue.repository.full_name, issue.url)
    answer = answers.FaultAnswer(
        id=id_,
        address=issue.url,
        page=site + issue.get_absolute_url(),
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
        affected=[_range(row) for row in ranges_of(issue)],
        fixed_in=shown(issue.fixed_version, NAME),
        fixes=[
            answers.Fix(
                address=fix.url, merged_on=fix.merged_on.isoformat() if fix.merged_on else "", lines=fix.lines_changed
            )
            for fix in issue.fixes.all()[:MOST_FIXES]
        ],
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


def reference(full_name: str, url: str) -> str:
    """The id of an issue: `owner/name#number`."""
    return f"{full_name}#{url.rpartition('/')[2]}"


CERTAINTIES: Mapping[str, answers.CertaintyName] = {
    "confirmed": "confirmed", "likely": "likely", "unsettled": "unsettled",
}  # fmt: skip


def certainty_of(stated: str, *, is_curated: bool) -> answers.CertaintyName:
    """How sure a record is; a report that nobody read is `not_checked`."""
    return CERTAINTIES.get(stated, "not_stated" if is_curated else "not_checked")


def names(nodes: Iterable[object]) -> list[str]:
    """The names of the first few categories."""
    return [str(getattr(node, "name", "")) for node in list(nodes)[:MOST_NAMES]]


def _names(labels: Sequence[Label]) -> list[str]:
    return list(dict.fromkeys(label.node.name for label in labels))[:MOST_NAMES]


def _range(row: Row) -> str:
    """The versions of one package, in words."""
    said = [row.package]
    if row.introduced:
        said.append(f"from {row.introduced.version}")
    if row.fixed:
        said.append(f"fixed in {row.fixed.version}")
    elif row.last_affected:
        said.append(f"up to {row.last_affected.version}")
    elif row.reported:
        said.append(f"reported in {', '.join(map(str, row.reported[:MOST_NAMES]))}")
    return " ".join(said)
