"""Reading one record of a labelled data set: which issue, which final answers, which votes, and what is wrong.

Pure: takes cells and nodes' ids, returns values. Which repository an address belongs to is not known here.
"""

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ingest.hosts.values import cell_text, clean_text, parse_moment
from ingest.imports.records import Record
from ingest.imports.studies.mapping import AxisMapping, MappingError, StudyMapping
from ingest.imports.studies.matching import NodeFinder, NodeRef, UnknownValueError, majority
from ingest.rejections import Effect, Reason, Rejection, shown
from kb.core.addresses import BadAddressError, IssueAddress, parse_issue_address

MAX_TITLE = 1_000


@dataclass(frozen=True, slots=True)
class StudyRow:
    """One record as the mapping understands it. `finals` are nodes' ids, `votes` pairs of annotator (from 1) and node.

    `doubtful`: the row contradicts itself about which issue it means; it may count but must not label.
    """

    number: int
    line: int
    address: IssueAddress
    kind: str
    title: str | None
    state: str
    opened_at: dt.datetime | None
    closed_at: dt.datetime | None
    finals: tuple[int, ...]
    votes: tuple[tuple[int, int], ...]
    doubtful: bool


class _LeftOutError(Exception):
    """The record cannot be taken."""

    def __init__(self, reason: Reason, message: str, value: object = "") -> None:
        super().__init__(message)
        self.rejection = Rejection(0, reason, message, shown(value))


class RowReader:
    """Reads records by a mapping; counts the blanks that the mapping lets pass, by column."""

    def __init__(self, mapping: StudyMapping, nodes: Mapping[str, Iterable[NodeRef]]) -> None:
        """`nodes`: axis code -> its active nodes. Raises `MappingError` when mapping and scheme do not fit."""
        self._mapping = mapping
        self.blanks: Counter[str] = Counter()
        self._finders: list[tuple[AxisMapping, NodeFinder]] = []
        for axis in mapping.axes:
            if axis.axis not in nodes:
                axes = ", ".join(sorted(nodes)) or "none"
                raise MappingError(f"the scheme of {mapping.study} has no axis '{axis.axis}'; it has {axes}")
            self._finders.append((axis, NodeFinder(axis, nodes[axis.axis])))

    def read(self, record: Record) -> tuple[StudyRow | None, list[Rejection]]:
        """Return the row, or None when it cannot be taken, and everything that is wrong with it. Never raises."""
        problems: list[Rejection] = []
        try:
            row = self._row(record, problems)
        except _LeftOutError as error:
            return None, [error.rejection.on(record.line)]
        return row, [problem.on(record.line) for problem in problems]

    def _row(self, record: Record, problems: list[Rejection]) -> StudyRow:
        mapping = self._mapping
        raw = self._cell(record, mapping.url)
        try:
            address = parse_issue_address(raw)
        except BadAddressError as error:
            raise _LeftOutError(Reason.BLANK if not raw.strip() else Reason.BAD_URL, str(error), raw) from error
        finals: list[int] = []
        votes: list[tuple[int, int]] = []
        for axis, finder in self._finders:
            votes_on_axis = self._votes(record, axis, finder, problems)
            finals += self._final(record, axis, finder, votes_on_axis)
            votes += votes_on_axis
        title = self._cell(record, mapping.title) if mapping.title else ""
        state, opened, closed = self._facts(record, problems)
        return StudyRow(
            number=record.number,
            line=record.line,
            address=address,
            kind="pull_request" if address.is_pull_request else mapping.kind,
            title=clean_text(title).strip()[:MAX_TITLE] or None,
            state=state,
            opened_at=opened,
            closed_at=closed,
            finals=tuple(dict.fromkeys(finals)),
            votes=tuple(dict.fromkeys(votes)),
            doubtful=self._is_doubtful(record, address, problems),
        )

    def _cell(self, record: Record, column: str) -> str:
        try:
            return cell_text(record.cells.get(column))
        except ValueError as error:
            raise _LeftOutError(Reason.SHAPE, f"column '{column}' {error}", record.cells[column]) from error

    def _final(
        self, record: Record, axis: AxisMapping, finder: NodeFinder, votes: list[tuple[int, int]]
    ) -> tuple[int, ...]:
        if axis.majority is not None:
            winner = majority((node for _, node in votes), needed=axis.majority)
            nodes: tuple[int, ...] = () if winner is None else (winner,)
            columns, blank = ", ".join(axis.votes), f"no answer has {axis.majority} of {len(axis.votes)} votes"
        else:
            names = (axis.final,) if axis.final else axis.levels
            cells = tuple(self._cell(record, name) for name in names)
            columns, blank = names[0], f"column '{names[0]}' is blank"
            try:
                nodes = finder.find_levels(cells) if axis.levels else finder.find_cell(cells[0])
            except UnknownValueError as error:
                raise _LeftOutError(Reason.UNKNOWN_CODE, f"column '{columns}': {error}", " / ".join(cells)) from error
        if not nodes and axis.blank == "reject":
            raise _LeftOutError(Reason.BLANK, blank)
        if not nodes:
            self.blanks[columns] += 1
        return nodes

    def _votes(
        self, record: Record, axis: AxisMapping, finder: NodeFinder, problems: list[Rejection]
    ) -> list[tuple[int, int]]:
        votes: list[tuple[int, int]] = []
        for annotator, column in enumerate(axis.votes, start=1):
            cell = self._cell(record, column)
            try:
                nodes = finder.find_cell(cell)
            except UnknownValueError as error:
                message = f"column '{column}': {error}"
                problems.append(Rejection(0, Reason.UNKNOWN_CODE, message, shown(cell), Effect.CELL_LEFT_OUT))
                continue
            if not nodes:
                self.blanks[column] += 1
            votes += [(annotator, node) for node in nodes]
        return votes

    def _facts(self, record: Record, problems: list[Rejection]) -> tuple[str, dt.datetime | None, dt.datetime | None]:
        opened = self._moment(record, self._mapping.opened, problems)
        closed = self._moment(record, self._mapping.closed, problems)
        state = self._state(record, problems)
        if closed and ((opened and closed < opened) or state == "open"):
            message = "closed before it was opened" if state != "open" else "open, yet with a closing date"
            problems.append(Rejection(0, Reason.CONTRADICTION, message, f"{closed}", Effect.CELL_LEFT_OUT))
            closed = None
        return state, opened, closed

    def _moment(self, record: Record, column: str | None, problems: list[Rejection]) -> dt.datetime | None:
        cell = self._cell(record, column).strip() if column else ""
        if not cell:
            return None
        try:
            return parse_moment(cell)
        except ValueError as error:
            message = f"column '{column}' is not a date: {error}"
            problems.append(Rejection(0, Reason.DATE, message, shown(cell), Effect.CELL_LEFT_OUT))
            return None

    def _state(self, record: Record, problems: list[Rejection]) -> str:
        mapping = self._mapping.state
        cell = self._cell(record, mapping.column).strip() if mapping else ""
        if mapping is None or not cell:
            return "unknown"
        for state, words in (("open", mapping.open), ("closed", mapping.closed)):
            if cell.casefold() in {word.casefold() for word in words}:
                return state
        message = f"column '{mapping.column}' is neither open nor closed"
        problems.append(Rejection(0, Reason.UNKNOWN_CODE, message, shown(cell), Effect.CELL_LEFT_OUT))
        return "unknown"

    def _is_doubtful(self, record: Record, address: IssueAddress, problems: list[Rejection]) -> bool:
        column = self._mapping.number
        number = self._cell(record, column).strip().removeprefix("#") if column else ""
        if not number or number.upper() == address.ref:
            return False
        message = f"column '{column}' says {number[:20]}, the address says {address.ref}"
        problems.append(Rejection(0, Reason.CONTRADICTION, message, shown(number), Effect.COUNTED_ONLY))
        return True
