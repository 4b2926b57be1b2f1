"""Suggests nodes for a report: compiled once from the codebook's words and the rules, then asked for each report. Pure.

Where evidence may stand is `report_parts`, what becomes of it `decisions`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ingest.suggest.decisions import NO_FAULT, Above, about_symptom, about_type, decide, first_failure
from ingest.suggest.phrases import Passage, Phrases
from ingest.suggest.report_parts import ErrorLine, Reader, Report, plain, whole_names
from ingest.suggest.rules import Aliases, AxisRules, Place, Rule, RuleBook, read_rules
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
        self._above = {axis.axis: _above(axis, known) for axis in rules.axes}
        self._unless = {
            name_of(axis, rule): Phrases(rule.unless) for axis in rules.axes for rule in axis.rules if rule.unless
        }
        self.unplaced: list[str] = []
        self._clues: dict[Place, Clues] = {place: {} for place in (*SEARCHED, *WHOLE)}
        for axis in rules.axes:
            self._learn(axis, [node for node in known if node.axis == axis.axis])
        self._phrases = {place: Phrases(self._clues[place]) for place in SEARCHED}

    def suggest(self, title: str, body: str, host_labels: Sequence[str] = ()) -> tuple[Suggestion, ...]:
        """What a report may be about, axis by axis, the best supported first. Never raises, whatever the text."""
        report = self._reader.read(title, body, host_labels)
        failures = [self._failure("error", line.said, report.title) for line in report.errors]
        place = first_failure(failures)
        failed = None if place is None else report.errors[place]
        found = [one for one in self._evidence(report, failed) if not self._is_silent(one.clue.rule, report.title)]
        found += self._failure("title", report.title, report.title)
        failure = None if place is None else failures[place][0]
        suggested: list[Suggestion] = []
        for axis in self._axes:
            own = [one for one in found if one.clue.axis == axis.axis]
            if axis.axis == "issue_type":
                own = about_type(own)
            if axis.axis == "symptom":
                is_wish = any(one.node == NO_FAULT for one in suggested)
                own = [] if is_wish else about_symptom(own, failure, self._above[axis.axis])
            suggested += decide(axis, own, self._above[axis.axis])
        return tuple(suggested)

    def _learn(self, axis: AxisRules, nodes: Sequence[NodeWords]) -> None:
        codes = {node.code for node in nodes}
        for order, rule in enumerate(axis.rules):
            if rule.node not in codes:
                self.unplaced.append(name_of(axis, rule))
                continue
            own = name_of(axis, rule)
            clue = Clue(own, axis.axis, rule.node, rule.score, order, rule.begins, rule.follows)
            self._add(rule, clue, rule.words)
        for some in axis.aliases:
            silent = {plain(word) for word in some.silent}
            for node in nodes:
                words = [word for word in _names(node) if plain(word) not in silent]
                self._add(some, Clue(name_of(axis, some), axis.axis, node.code, some.score, len(axis.rules)), words)

    def _add(self, rule: Rule | Aliases, clue: Clue, words: Iterable[str]) -> None:
        clues = self._clues[rule.place]
        for word in words:
            clues.setdefault(plain(word) if rule.place in WHOLE else word.lower(), []).append(clue)

    def _evidence(self, report: Report, failed: ErrorLine | None) -> Iterator[Evidence]:
        """Whatever the places hold; for symptoms, error lines are asked apart. `failed`: the one it is about."""
        for tag in report.tag:
            yield from (Evidence(clue, "tag", _on_one_line(tag)) for clue in self._clues["tag"].get(plain(tag), ()))
        for label in report.label:
            names = whole_names(label)
            yield from (
                Evidence(clue, "label", _on_one_line(label))
                for name in names
                for clue in self._clues["label"].get(name, ())
            )
        yield from self._in("title", report.title)
        yield from self._in("prose", report.prose)
        yield from self._in("call", failed.calls if failed else report.calls)
        if failed:
            yield from self._in("last_call", failed.last)
        for heading in report.form:
            yield from self._in("form", Passage(heading))
        for line in report.errors:
            yield from (one for one in self._in("error", line.said) if one.clue.axis != "symptom")

    def _in(self, place: Place, passage: Passage) -> Iterator[Evidence]:
        """What the passage holds and does not deny; of words within longer ones that were found, the longer ones."""
        found = [
            (one, clue)
            for one in self._phrases[place].find(passage)
            for clue in self._clues[place][one.phrase]
            if not passage.denies(one) and (not clue.begins or passage.begins(one))
        ]
        for one, clue in found:
            within = (
                other.start <= one.start and one.end <= other.end and other.end - other.start > one.end - one.start
                for other, its in found
                if its.axis == clue.axis
            )
            if not any(within):
                yield Evidence(clue, place, passage.words(one))

    def _failure(self, place: Place, line: Passage, title: Passage) -> list[Evidence]:
        """What a line, or a title that is one, says of a failure: what the first rule says that knows it."""
        found = [
            Evidence(clue, place, line.words(one))
            for one in self._phrases["error"].find(line)
            for clue in self._clues["error"][one.phrase]
            if clue.axis == "symptom" and not self._is_silent(clue.rule, title) and not line.denies(one)
        ]
        return sorted(found, key=lambda one: one.clue.order)[:1]

    def _is_silent(self, rule: str, title: Passage) -> bool:
        return rule in self._unless and bool(self._unless[rule].find(title))


def _above(axis: AxisRules, nodes: Sequence[NodeWords]) -> Above:
    parents: Mapping[str, str | None] = {node.code: node.parent for node in nodes if node.axis == axis.axis}
    found = {}
    for code in parents:
        chain: list[str] = []
        parent = parents[code]
        while parent and parent not in chain:
            chain.append(parent)
            parent = parents.get(parent)
        found[code] = tuple(chain)
    return found


def _names(node: NodeWords) -> tuple[str, ...]:
    """The node's name and aliases; a name that lists several things is nothing that people write."""
    own = () if any(sign in node.name for sign in "/,") or " or " in node.name or " and " in node.name else (node.name,)
    return (*own, *node.aliases)


def name_of(axis: AxisRules, rule: Rule | Aliases) -> str:
    """A rule's name among those of all axes."""
    return f"{axis.axis}/{rule.name}"


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
