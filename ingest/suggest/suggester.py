"""Suggests nodes for a report: compiled once from the codebook's words and the rules, then asked for each report. Pure.

Where evidence may stand is `report_parts`, what becomes of it `decisions`.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from ingest.suggest.decisions import NO_FAULT, Above, about_symptom, about_type, decide, first_failure
from ingest.suggest.phrases import Occurrence, Passage, Phrases
from ingest.suggest.report_parts import ErrorLine, Reader, Report, plain, whole_names
from ingest.suggest.rules import AxisRules, Place, RuleBook, read_rules
from ingest.suggest.values import Clue, Evidence, NodeWords, Suggestion

SEARCHED: tuple[Place, ...] = ("title", "form", "error", "call", "last_call", "prose")
WHOLE: tuple[Place, ...] = ("tag", "label")

Clues = dict[str, list[Clue]]


class Suggester:
    """Suggests by one state of the codebook and the rules."""

    def __init__(self, nodes: Iterable[NodeWords], rules: RuleBook | None = None) -> None:
        """`nodes` are the active ones; rules for others are left out, and `unplaced` names them."""
        rules = rules or read_rules()
        known = list(nodes)
        self._axes = rules.axes
        self._reader = Reader(tags=rules.forms.tags, boilerplate=rules.forms.boilerplate)
        self._above: dict[str, Above] = {}
        self._unless: dict[str, Phrases] = {}
        self.unplaced: list[str] = []
        self._clues: dict[Place, Clues] = {place: defaultdict(list) for place in (*SEARCHED, *WHOLE)}
        for axis in rules.axes:
            own = [node for node in known if node.axis == axis.axis]
            self._above[axis.axis] = _above(own)
            self._learn_rules(axis, {node.code for node in own})
            self._learn_aliases(axis, own)
        self._phrases = {place: Phrases(self._clues[place]) for place in SEARCHED}

    def _learn_rules(self, axis: AxisRules, codes: Collection[str]) -> None:
        for order, rule in enumerate(axis.rules):
            name = f"{axis.axis}/{rule.name}"
            if rule.unless:
                self._unless[name] = Phrases(rule.unless)
            if rule.node not in codes:
                self.unplaced.append(name)
                continue
            clue = Clue(name, axis.axis, rule.node, rule.score, order, rule.begins, rule.follows)
            self._add(rule.place, clue, rule.words)

    def _learn_aliases(self, axis: AxisRules, nodes: Sequence[NodeWords]) -> None:
        for aliases in axis.aliases:
            name = f"{axis.axis}/{aliases.name}"
            silent = {plain(word) for word in aliases.silent}
            for node in nodes:
                clue = Clue(name, axis.axis, node.code, aliases.score, len(axis.rules))
                self._add(aliases.place, clue, [word for word in _names(node) if plain(word) not in silent])

    def _add(self, place: Place, clue: Clue, words: Iterable[str]) -> None:
        for word in words:
            key = plain(word) if place in WHOLE else word.lower()
            self._clues[place][key].append(clue)

    def suggest(self, title: str, body: str, host_labels: Sequence[str] = ()) -> tuple[Suggestion, ...]:
        """What a report may be about, axis by axis, the best supported first. Never raises, whatever the text."""
        report = self._reader.read(title, body, host_labels)
        failures = [self._failure("error", line.said, report.title) for line in report.errors]
        place = first_failure(failures)
        failed = None if place is None else report.errors[place]
        failure = None if place is None else failures[place]
        evidence = [
            item for item in self._evidence(report, failed) if not self._is_silent(item.clue.rule, report.title)
        ]
        in_title = self._failure("title", report.title, report.title)
        if in_title is not None:
            evidence.append(in_title)
        suggestions: list[Suggestion] = []
        for axis in self._axes:
            own = [item for item in evidence if item.clue.axis == axis.axis]
            if axis.axis == "issue_type":
                own = about_type(own)
            if axis.axis == "symptom":
                is_wish = any(suggestion.node == NO_FAULT for suggestion in suggestions)
                own = [] if is_wish else about_symptom(own, failure, self._above[axis.axis])
            suggestions += decide(axis, own, self._above[axis.axis])
        return tuple(suggestions)

    def _evidence(self, report: Report, failed: ErrorLine | None) -> Iterator[Evidence]:
        """Whatever the places hold; for symptoms, error lines are asked apart. `failed`: the one it is about."""
        for tag in report.tag:
            yield from self._of_word("tag", plain(tag), tag)
        for label in report.label:
            for name in whole_names(label):
                yield from self._of_word("label", name, label)
        yield from self._in("title", report.title)
        yield from self._in("prose", report.prose)
        yield from self._in("call", failed.calls if failed else report.calls)
        if failed:
            yield from self._in("last_call", failed.last)
        for heading in report.form:
            yield from self._in("form", Passage(heading))
        for line in report.errors:
            yield from (item for item in self._in("error", line.said) if item.clue.axis != "symptom")

    def _of_word(self, place: Place, word: str, quote: str) -> Iterator[Evidence]:
        for clue in self._clues[place].get(word, ()):
            yield Evidence(clue, place, _on_one_line(quote))

    def _in(self, place: Place, passage: Passage) -> Iterator[Evidence]:
        """What the passage holds and does not deny; of words within longer ones that were found, the longer ones."""
        matches: list[tuple[Occurrence, Clue]] = []
        for occurrence in self._phrases[place].find(passage):
            if passage.denies(occurrence):
                continue
            for clue in self._clues[place][occurrence.phrase]:
                if not clue.begins or passage.begins(occurrence):
                    matches.append((occurrence, clue))
        for occurrence, clue in matches:
            if not any(occurrence.is_within(other) for other, its_clue in matches if its_clue.axis == clue.axis):
                yield Evidence(clue, place, _on_one_line(passage.quote(occurrence)))

    def _failure(self, place: Place, line: Passage, title: Passage) -> Evidence | None:
        """What a line, or a title that is one, says of a failure: what the first rule says that knows it."""
        first: Evidence | None = None
        for occurrence in self._phrases["error"].find(line):
            for clue in self._clues["error"][occurrence.phrase]:
                if clue.axis != "symptom" or (first is not None and clue.order >= first.clue.order):
                    continue
                if not self._is_silent(clue.rule, title) and not line.denies(occurrence):
                    first = Evidence(clue, place, _on_one_line(line.quote(occurrence)))
        return first

    def _is_silent(self, rule: str, title: Passage) -> bool:
        return rule in self._unless and bool(self._unless[rule].find(title))


def _above(nodes: Sequence[NodeWords]) -> Above:
    parents = {node.code: node.parent for node in nodes}
    above: dict[str, tuple[str, ...]] = {}
    for code, parent in parents.items():
        chain: list[str] = []
        while parent and parent not in chain:
            chain.append(parent)
            parent = parents.get(parent)
        above[code] = tuple(chain)
    return above


def _names(node: NodeWords) -> tuple[str, ...]:
    """The node's name and aliases; a name that lists several things is nothing that people write."""
    if any(sign in node.name for sign in ("/", ",", " or ", " and ")):
        return node.aliases
    return (node.name, *node.aliases)


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
