"""What is known, from a data file: the same questions that a server answers from its database."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import orjson

from kb.core.diagnosis.schema import CauseProbability, KnownIssue
from kb.core.knowledge import file, index
from kb.core.knowledge.faults import fault_of
from kb.core.knowledge.shape import (
    FORMAT,
    About,
    CauseLinkFacts,
    ConfirmedSignature,
    FixFacts,
    NodeFacts,
    PatternPlaybook,
    PatternUseFacts,
    Record,
)
from kb.core.knowledge.sources import MOST_RESOLUTION, Confirmed, NodePage, PatternUse, seen_before
from kb.core.search.backend import Backend
from kb.core.search.cards import Card, cut, from_json
from kb.core.search.error_lines import StoredTexts
from kb.core.search.error_matches import Relation
from kb.core.search.keys import Fields, Keys
from kb.core.search.lookup import Lookup, Named
from kb.core.search.speech import Speech, framework_phrases
from kb.core.setups.known_faults import KnownFault


def load(path: Path, cache: Path) -> "Knowledge":
    """What the file says; its index is kept in the folder `cache`. Raises `BadDataError`."""
    return Knowledge(file.read(path), cache)


class Knowledge:
    """One file's content, each part read when it is asked for."""

    def __init__(self, members: file.Members, cache: Path) -> None:
        self._members, self._cache = members, cache
        about = members["about"]
        if about.get("format") != FORMAT:
            raise file.BadDataError(
                f"The data file has format {about.get('format')}, and this version reads {FORMAT}. "
                "Update the program, or fetch the data again."
            )
        try:
            self.about = About(**about)
        except TypeError as error:
            raise file.BadDataError("The data file is of another version of the program. Fetch it again.") from error

    @cached_property
    def fields(self) -> Fields:
        """The keys of what is indexed."""
        keys = self._members["fields"]
        return Fields(tuple(keys["values"]), tuple(keys["numbers"]))

    @cached_property
    def box_keys(self) -> Keys:
        """The filters that may stand in the text of a search."""
        short = self._members["shorthands"]
        pairs = {word: {name: (key, value) for name, (key, value) in known.items()} for word, known in short.items()}
        return Keys((*self.fields.values, *self.fields.numbers), pairs)

    @cached_property
    def engine(self) -> Backend:
        """The index of the records, made at the first question. Raises `BadDataError`."""
        try:
            return index.opened(self._cache, self._members, self.fields)
        except OSError as error:
            raise file.BadDataError(f"{self._cache} cannot be written ({error.strerror}). Name another.") from error

    @cached_property
    def records(self) -> Mapping[int, Record]:
        """The records by their place in the file."""
        records = {}
        for row in self._members["records"]:
            fixes = tuple(FixFacts(**fix) for fix in row.pop("fixes"))
            records[row["id"]] = Record(**row, fixes=fixes)
        return records

    @cached_property
    def _cards(self) -> Mapping[int, bytes]:
        return {row["id"]: orjson.dumps(row["card"]) for row in self._members["documents"]}

    def card(self, place: int) -> Card:
        """What a list shows of the record."""
        return from_json(self._cards[place])

    @cached_property
    def nodes(self) -> Mapping[tuple[str, str], NodeFacts]:
        """The house codebook's categories by axis and code, in its order."""
        return {(row["axis"], row["code"]): NodeFacts(**row) for row in self._members["nodes"]}

    @cached_property
    def cause_links(self) -> Sequence[CauseLinkFacts]:
        """How often causes go with symptoms; of each symptom, the most trusted source's come first."""
        return [CauseLinkFacts(**row) for row in self._members["cause_links"]]

    @cached_property
    def playbooks(self) -> Mapping[str, PatternPlaybook]:
        """Playbooks of fix patterns, by the pattern's code."""
        return {row["code"]: PatternPlaybook(**row) for row in self._members["playbooks"]}

    @cached_property
    def without_history(self) -> frozenset[str]:
        """Packages whose repository's git history was not read."""
        return frozenset(self._members["without_history"])

    @cached_property
    def _faults(self) -> Mapping[str, KnownFault]:
        return {row["url"]: fault_of(row) for row in self._members["faults"]}

    def faults(self) -> Mapping[str, KnownFault]:
        """The records whose versions or conditions are known, by the report's address."""
        return self._faults

    @cached_property
    def names(self) -> Mapping[str, Lookup]:
        """What frameworks and categories are called, by the key of their filter."""
        names = {}
        for key, rows in self._members["names"].items():
            names[key] = Lookup(Named(row["value"], row["name"], tuple(row["aliases"])) for row in rows)
        return names

    def speech(self) -> Speech:
        """What these names mean to a search."""
        return self._speech

    @cached_property
    def _speech(self) -> Speech:
        aliases = {word: tuple(others) for word, others in self._members["aliases"].items()}
        return Speech(framework_phrases(self.names["framework"]), aliases)

    def texts(self, ids: Collection[int]) -> Mapping[int, StoredTexts]:
        """What records say beside their cards."""
        records = [self.records[pk] for pk in ids if pk in self.records]
        return {
            each.id: StoredTexts(
                tuple(each.recognise),
                tuple(each.also_seen),
                each.resolution,
                titles=(each.title,),
                summary=each.summary,
            )
            for each in records
        }

    def confirmed(self, key: str, version: int) -> Sequence[Confirmed]:
        """What staff of the server confirmed for this signature."""
        rows = [ConfirmedSignature(**row) for row in self._members["confirmed"] if row["key"] == key]
        distinct = {(row.record, row.cause): row for row in reversed(rows) if row.version == version}
        newest = sorted(distinct.values(), key=rows.index)
        return [
            Confirmed(self._confirmed_issue(row.record, row.on) if row.record else None, row.cause, row.on)
            for row in newest
        ]

    def _confirmed_issue(self, place: int, on: str) -> KnownIssue:
        record = self.records[place]
        return {
            "title": record.title,
            "url": record.page,
            "source_url": record.url,
            "relation": Relation.CONFIRMED.value,
            "why": seen_before(on),
            "score": 1.0,
            "resolution": cut(record.resolution, MOST_RESOLUTION),
            "fix_url": record.fixes[0].url if record.fixes else "",
            "fix_line": record.fix_line,
            "certainty": record.certainty,
        }

    def causes(self, codes: Sequence[str]) -> Mapping[str, NodePage]:
        """Root causes with these codes."""
        nodes = {code: self.nodes.get(("root_cause", code)) for code in codes}
        return {code: NodePage(node.name, node.page) for code, node in nodes.items() if node}

    def probabilities(self, symptom: str) -> Mapping[str, CauseProbability]:
        """By a cause's code, what the most trusted source says."""
        by_cause: dict[str, CauseProbability] = {}
        for link in self.cause_links:
            if link.symptom == symptom:
                probability: CauseProbability = {
                    "value": link.probability,
                    "low": link.low,
                    "high": link.high,
                    "n": link.n,
                    "source": link.source,
                }
                by_cause.setdefault(link.cause, probability)
        return by_cause

    def pattern_uses(self, causes: Sequence[str]) -> Mapping[str, Sequence[PatternUse]]:
        """Patterns that have a playbook."""
        uses: dict[str, list[PatternUse]] = defaultdict(list)
        for row in self._members["pattern_uses"]:
            if row["cause"] in causes:
                use = PatternUseFacts(**row)
                node = self.nodes[("fix_pattern", use.pattern)]
                uses[use.cause].append(PatternUse(use.pattern, node.name, node.page, use.issues, use.of))
        return uses

    def page(self, kind: str, slug: str = "") -> str:
        """A page of the server's."""
        return self.about.pages[kind].replace("SLUG", slug)
