"""What the search page says above its results of an error line or a log in the box, and what is searched for instead.

What the text is decides `kb.search.box`; how it is diagnosed, `kb.diagnose.boxed`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.http import HttpRequest

from kb.core.check.answer import names_packages
from kb.core.diagnosis.headline import failing_line
from kb.core.diagnosis.report import FAILURE, NO_EVIDENCE
from kb.core.diagnosis.schema import DiagnosisData
from kb.core.diagnosis.signals.commands import filled
from kb.core.diagnosis.signals.format import Signal
from kb.core.knowledge.issues import body_of
from kb.core.search.error_signals import telling_signal
from kb.core.secrets import without_our_words
from kb.diagnose.boxed import TOO_MANY, NotDiagnosedError, diagnosed_text
from kb.diagnose.stored import house_nodes
from kb.health import database
from kb.http.rates import count_request
from kb.http.visitors import visitor_of
from kb.models import Node
from kb.search import BoxKind, ParsedSearch, is_error_line, kind_of
from kb.search.box import innermost_functions
from kb.web.diagnose.result import AnswerContext, answer_context
from kb.web.diagnose.signals import Part, parts

MOST_CHECKS, MOST_ISSUES, MOST_CAUSES = 4, 3, 3
KNOWN_LINE = "What this error means"


@dataclass(frozen=True)
class KnownLine:
    """What a signal knows of words that are an error line's own, the likeliest cause first."""

    signal: Signal
    causes: Sequence[Node]
    checks: Sequence[Sequence[Part]]


@dataclass(frozen=True)
class Pasted:
    """The box's text as the page takes it.

    `asked`: the search, for the failing line where there is one. `answer`: the diagnosis, shortened; `line`: what is
    known of plain words. `known`: the pages of issues that the diagnosis names; None where it names none. `note`: why
    there is no diagnosis. `setup`: the text, where it has versions of packages, which can be checked.
    """

    kind: BoxKind
    asked: ParsedSearch
    answer: AnswerContext | None = None
    line: KnownLine | None = None
    known: tuple[str, ...] | None = None
    note: str = ""
    setup: str = ""

    @property
    def is_pasted(self) -> bool:
        """Is it an error line or a log, and no words of a person's?"""
        return self.kind in (BoxKind.ERROR, BoxKind.LOG)

    @property
    def is_log(self) -> bool:
        """Is it a log that was diagnosed?"""
        return self.kind is BoxKind.LOG and self.answer is not None

    @property
    def is_searched(self) -> bool:
        """Is there anything to search for: words, or a line that failed? Lines of a sound run are loose words."""
        return not self.is_log or (self.answer is not None and self.answer["data"]["verdict"] == FAILURE)


def read_pasted(request: HttpRequest, asked: ParsedSearch) -> Pasted:
    """What the box holds, diagnosed if it is an error line or a log."""
    pasted = _diagnosed(request, asked)
    text = asked.query.words
    return replace(pasted, setup=text) if pasted.kind is BoxKind.LOG and names_packages(text) else pasted


def _diagnosed(request: HttpRequest, asked: ParsedSearch) -> Pasted:
    kind = kind_of(asked.query)
    if kind is BoxKind.WORDS:
        return Pasted(kind, asked, line=_known_line(asked.query.words))
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
        return Pasted(kind, asked, line=_known_line(asked.query.words))
    known = tuple(issue["url"] for issue in data.get("issues", ())) or None
    return Pasted(kind, _searched(asked, data), _answer(data, kind), known=known)


def _says_something(data: DiagnosisData, text: str) -> bool:
    """Does the diagnosis tell more than that a person's sentences are no log?"""
    return data["verdict"] != NO_EVIDENCE or any(map(is_error_line, text.split("\n")))


def _searched(asked: ParsedSearch, data: DiagnosisData) -> ParsedSearch:
    """The search for what the failing line says: the other lines would be loose words."""
    line = failing_line(data)
    words = without_our_words(body_of(line)).strip() if line and data["verdict"] == FAILURE else ""
    if words and telling_signal(words) is not None:
        words = " ".join((words, *innermost_functions(asked.query.words)))
    return replace(asked, query=replace(asked.query, words=words, phrases=(), is_paste=False)) if words else asked


def _answer(data: DiagnosisData, kind: BoxKind) -> AnswerContext:
    """What the page of a diagnosis tells, as much as leaves the results in sight."""
    answer = answer_context(data)
    answer["checks"], answer["issues"] = answer["checks"][:MOST_CHECKS], answer["issues"][:MOST_ISSUES]
    if kind is BoxKind.ERROR and data["verdict"] == FAILURE:
        # The line stands in the box.
        answer |= {"title": KNOWN_LINE, "symptom_words": "", "close_up": None}
    return answer


def _known_line(words: str) -> KnownLine | None:
    """What is known of words that are an error line's own."""
    signal = telling_signal(words)
    if signal is None:
        return None
    nodes = {node.code: node for node in house_nodes("root_cause", signal.causes)} if database.answers() else {}
    causes = [nodes[code] for code in signal.causes if code in nodes]
    checks = [parts(filled(check), f"step-{number}") for number, check in enumerate(signal.check)]
    return KnownLine(signal, causes[:MOST_CAUSES], checks)
