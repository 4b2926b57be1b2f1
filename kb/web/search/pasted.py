"""What the search page says above its results of an error line or a log in the box, and what is searched for instead.

What the text is decides `kb.search.box`; how it is diagnosed, `kb.diagnose.boxed`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.http import HttpRequest

from kb.core.diagnosis.report import FAILURE, NO_EVIDENCE
from kb.core.diagnosis.schema import DiagnosedLine, DiagnosisData, FittingPlaybook, KnownIssue, NearbyLine
from kb.core.diagnosis.signals.catalogue import catalogue
from kb.core.diagnosis.signals.commands import filled
from kb.core.diagnosis.signals.format import Signal
from kb.core.diagnosis.terminal import SYMPTOMS, TITLES
from kb.core.secrets import without_our_words
from kb.diagnose.boxed import TOO_MANY, NotDiagnosedError, diagnosed_text, failing_line
from kb.diagnose.known_causes import house_nodes
from kb.diagnose.known_issues import body_of
from kb.health import database
from kb.http.rates import count_request
from kb.http.visitors import visitor_of
from kb.search import BoxKind, ParsedSearch, is_error_line, kind_of
from kb.search.error_signals import telling_signal
from kb.web.diagnose.signals import Part, parts

MOST_CHECKS, MOST_ISSUES, MOST_CAUSES = 4, 3, 3
KNOWN_LINE = "What this error means"


@dataclass(frozen=True)
class PanelCause:
    """A likely cause. `share`: of what the lines say, in percent; None where one signal alone names it."""

    name: str
    url: str
    share: int | None = None


@dataclass(frozen=True)
class Panel:
    """What is known of an error line or a log, short. `line`: the one that failed first, of a text with several."""

    title: str
    sentence: str
    causes: Sequence[PanelCause]
    checks: Sequence[Sequence[Part]]
    signal: Signal | None
    line: DiagnosedLine | None = None
    issues: Sequence[KnownIssue] = ()
    playbooks: Sequence[FittingPlaybook] = ()

    @property
    def has_shares(self) -> bool:
        """Do the causes share what the lines say?"""
        return any(cause.share for cause in self.causes)

    @property
    def rows(self) -> list[NearbyLine]:
        """The failing line and those around it, in their order."""
        if self.line is None:
            return []
        own: NearbyLine = {"line": self.line["line"], "text": self.line["text"]}
        return sorted([*self.line.get("context", []), own], key=lambda row: row["line"])


@dataclass(frozen=True)
class Pasted:
    """The box's text as the page takes it.

    `asked`: the search, for the failing line where there is one. `known`: the pages of issues that the diagnosis
    names; None where it has none to name. `note`: why there is no diagnosis.
    """

    kind: BoxKind
    asked: ParsedSearch
    panel: Panel | None = None
    known: tuple[str, ...] | None = None
    note: str = ""

    @property
    def is_pasted(self) -> bool:
        """Is it an error line or a log, and no words of a person's?"""
        return self.kind in (BoxKind.ERROR, BoxKind.LOG)


def read_pasted(request: HttpRequest, asked: ParsedSearch) -> Pasted:
    """What the box holds, diagnosed if it is an error line or a log."""
    kind = kind_of(asked.query)
    if kind is BoxKind.WORDS:
        return Pasted(kind, asked, _signal_panel(asked.query.words))
    if kind is BoxKind.REFERENCE:
        return Pasted(kind, asked)
    if kind is BoxKind.LOG:
        usage = count_request("diagnosis", request)
        if usage is not None and not usage.is_allowed:
            return Pasted(kind, asked, note=TOO_MANY)
    try:
        data = diagnosed_text(asked.query.words, visitor=visitor_of(request))
    except NotDiagnosedError as refusal:
        return Pasted(kind, asked, note=str(refusal))
    if data is None or not _says_something(data, asked.query.words):
        return Pasted(kind, asked, _signal_panel(asked.query.words))
    known = tuple(issue["url"] for issue in data.get("issues", ())) or None
    return Pasted(kind, _searched(asked, failing_line(data)), _panel(data, kind), known)


def _says_something(data: DiagnosisData, text: str) -> bool:
    """Does the diagnosis tell more than that a person's sentences are no log?"""
    return data["verdict"] != NO_EVIDENCE or any(map(is_error_line, text.split("\n")))


def _searched(asked: ParsedSearch, line: DiagnosedLine | None) -> ParsedSearch:
    """The search for what the failing line says: the other lines would be loose words."""
    words = without_our_words(body_of(line)).strip() if line else ""
    return replace(asked, query=replace(asked.query, words=words, phrases=(), is_paste=False)) if words else asked


def _panel(data: DiagnosisData, kind: BoxKind) -> Panel:
    line = failing_line(data)
    symptom = SYMPTOMS.get(data["symptom"] or "", "")
    title = TITLES[data["verdict"]]
    if kind is BoxKind.ERROR and data["verdict"] == FAILURE:
        title = KNOWN_LINE
    elif symptom:
        title = f"{title}: {symptom}"
    causes = data["causes"][:MOST_CAUSES]
    return Panel(
        title=title,
        sentence=data["sentence"],
        causes=[
            PanelCause(cause.get("name") or cause["code"], cause.get("url", ""), round(100 * cause["likelihood"]))
            for cause in causes
        ],
        checks=[parts(check) for check in data["checks"][:MOST_CHECKS]],
        signal=catalogue().by_code.get(line["signal"] or "") if line else None,
        line=line if kind is BoxKind.LOG else None,
        issues=data.get("issues", [])[:MOST_ISSUES],
        playbooks=data.get("playbooks", []),
    )


def _signal_panel(words: str) -> Panel | None:
    """What is known of words that are an error line's own."""
    signal = telling_signal(words)
    if signal is None:
        return None
    checks = [parts(filled(check)) for check in signal.check]
    causes = []
    if database.answers():
        nodes = {node.code: node for node in house_nodes("root_cause", signal.causes)}
        named = [nodes[code] for code in signal.causes if code in nodes]
        causes = [PanelCause(node.name, node.get_absolute_url()) for node in named[:MOST_CAUSES]]
    return Panel(KNOWN_LINE, signal.means, causes, checks, signal)
