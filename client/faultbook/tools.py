"""The tools for agents, answered from the data file: what the server's tools answer from its database."""

import io

from faultbook.cause_counts import causes_of
from kb.core.check.answer import check
from kb.core.check.texts import NotCheckedError
from kb.core.diagnosis.answer import answer
from kb.core.diagnosis.pipeline import InputFile
from kb.core.diagnosis.reading.intake import UnreadableInputError
from kb.core.knowledge.diagnosis import with_known
from kb.core.knowledge.known import Knowledge
from kb.core.knowledge.search import BadFilterError, search
from kb.core.knowledge.shape import Record
from kb.core.search.filter_values import Value
from kb.core.search.language import BoxFilter, parse
from kb.core.tools import answers, arguments
from kb.core.tools.catalogue import RECORDS, ToolProblemError
from kb.core.tools.fault_rows import (
    LINE,
    LONG,
    MOST_FIXES,
    MOST_LINES,
    NAME,
    SENTENCE,
    TITLE,
    certainty_of,
    fault_row,
    id_of,
    names,
    range_in_words,
)
from kb.core.tools.log_rows import log_answer, setup_answer
from kb.core.tools.texts import shown

UNKNOWN_ID = "No record has this id, and only records are known offline. Find ids with search_faults."
UNKNOWN_NAME = "This {key} is not known. Leave it out, or name one of: {known}."
UNREADABLE = "There is no readable line in it. Give the log itself, as text."


class OfflineTools:
    """The tools over one data file."""

    def __init__(self, known: Knowledge) -> None:
        self._known = known
        self._site = known.about.server.rstrip("/")

    def search_faults(self, asked: arguments.SearchFaults) -> answers.SearchAnswer:
        """As `faultbook search`."""
        start = int(asked.cursor or 0)
        filters = [
            BoxFilter(key, Value(self._value(key, text)))
            for key, text in (("framework", asked.framework), ("symptom", asked.symptom))
            if text
        ]
        try:
            found = search(self._known, asked.query, limit=start + asked.limit, filters=filters)
        except BadFilterError as error:
            raise ToolProblemError("A filter in these words cannot be used offline. Give plain words.") from error
        rows = found.rows[start:]
        following = start + len(rows)
        return answers.SearchAnswer(
            is_close=found.is_close,
            total=found.total,
            start=start,
            faults=[fault_row(row.card, self._site, more=asked.more) for row in rows],
            next_cursor=str(following) if rows and following < found.total else "",
        )

    def get_fault(self, asked: arguments.GetFault) -> answers.FaultAnswer:
        """The record."""
        record = self._record(asked.id)
        if record is None:
            raise ToolProblemError(UNKNOWN_ID)
        fault = self._known.faults().get(record.url)
        id_ = record.public_id or id_of(record.url, record.page)
        return answers.FaultAnswer(
            id=id_,
            address=record.url,
            page=self._site + record.page if self._site else "",
            resource=RECORDS + id_.replace("/", "%2F").replace("#", "%23"),
            certainty=certainty_of(record.certainty, is_curated=True),
            framework=record.framework,
            state=record.state,
            opened_on=record.opened_on or "",
            title=shown(record.title, TITLE),
            summary=shown(record.summary, LONG),
            symptoms=self._names(record, "symptom"),
            causes=self._names(record, "root_cause"),
            fix_patterns=self._names(record, "fix_pattern"),
            do_now=shown(record.fix_line, SENTENCE),
            resolution=shown(record.resolution, LONG),
            workaround=shown(record.workaround, LONG),
            affected=[range_in_words(row) for row in fault.rows] if fault else [],
            fixed_in=shown(record.fixed_version, NAME),
            fixes=[answers.Fix(address=fix.url, merged_on=fix.merged_on or "") for fix in record.fixes[:MOST_FIXES]],
            untrusted_lines=[shown(line, LINE) for line in record.recognise[:MOST_LINES]],
            read_on=record.read_on or "",
        )

    def diagnose_log(self, asked: arguments.DiagnoseLog) -> answers.LogAnswer:
        """As `faultbook diagnose`."""
        content = asked.text.encode(errors="replace")

        def log() -> list[InputFile]:
            return [InputFile("log", io.BytesIO(content))]

        try:
            data = answer(files=log(), reopen=log, add_known=lambda data, setup: with_known(data, setup, self._known))
        except UnreadableInputError as error:
            raise ToolProblemError(UNREADABLE) from error
        return log_answer(data, self._site, more=asked.more)

    def check_setup(self, asked: arguments.CheckSetup) -> answers.SetupAnswer:
        """As `faultbook check`."""
        try:
            data = check([("set-up", asked.text)], self._known.faults().values(), self._known.without_history)
        except NotCheckedError as error:
            raise ToolProblemError(str(error)) from error
        return setup_answer(data, self._site, more=asked.more)

    def likely_causes(self, asked: arguments.LikelyCauses) -> answers.CausesAnswer:
        """Counted in the records."""
        symptom = self._value("symptom", asked.symptom)
        framework = self._value("framework", asked.framework) if asked.framework else ""
        return causes_of(self._known, symptom, framework, more=asked.more)

    def record_ids(self, start: str, most: int) -> list[str]:
        """Public ids, in their order."""
        ids = sorted(record.public_id for record in self._known.records.values() if record.public_id)
        return [id_ for id_ in ids if id_.lower().startswith(start.lower())][:most]

    def _record(self, text: str) -> Record | None:
        """The record that the text names."""
        if parse(text).reference is None:
            return None
        rows = search(self._known, text, limit=1).rows
        return self._known.records[rows[0].card.id] if rows else None

    def _names(self, record: Record, axis: str) -> list[str]:
        nodes = self._known.nodes
        return names(nodes[axis, code].name for code in record.labels.get(axis, ()) if (axis, code) in nodes)

    def _value(self, key: str, text: str) -> str:
        """The code of a framework or symptom by what it is called. Raises `ToolProblemError`."""
        lookup = self._known.names[key]
        value = lookup.find(text)
        if value is None:
            known = ", ".join(named.value for named in lookup.values)
            raise ToolProblemError(UNKNOWN_NAME.format(key=key, known=known))
        return value
