"""Reads what a person typed into the search box. Pure: text in, a frozen value out, never an exception.

Words, `"phrases"` and `-exclusions` are known; everything else is text. Pasted command-line flags
(`--tensor-parallel-size 2`) stay words.
"""

import re
from dataclasses import dataclass

from kb.addresses import BadAddressError, parse_issue_address

MAX_CHARACTERS = 2_000
MAX_TERMS = 40

TOKEN = re.compile(r'(?P<minus>(?<!\S)-(?=[\w"]))?(?:"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+))')
HAS_LETTER = re.compile(r"\w")
SHORT_NAME = re.compile(r"^(?:([\w.-]+)/)?([A-Za-z][\w.-]*)#(\w+)$")


@dataclass(frozen=True)
class Term:
    """A word or phrase that must, or must not, occur."""

    text: str
    is_phrase: bool = False
    excluded: bool = False


@dataclass(frozen=True)
class Reference:
    """An exact issue that was asked for: parts that were not given are None."""

    ref: str
    name: str
    owner: str | None = None
    host: str | None = None


@dataclass(frozen=True)
class Query:
    """What the box's text asks for."""

    text: str
    terms: tuple[Term, ...] = ()
    reference: Reference | None = None
    was_cut: bool = False

    @property
    def is_empty(self) -> bool:
        """Does the query ask for nothing in particular?"""
        return not any(not term.excluded for term in self.terms)


def parse(raw: str) -> Query:
    """Parse any text. Over-long text is cut at a word and `was_cut` says so."""
    text = " ".join(raw.replace("\x00", " ").encode("utf-8", "ignore").decode("utf-8").split())
    cut = text[:MAX_CHARACTERS]
    terms = tuple(term for term in map(_term, TOKEN.finditer(cut)) if term)
    was_cut = len(text) > MAX_CHARACTERS or len(terms) > MAX_TERMS
    return Query(text=cut, terms=terms[:MAX_TERMS], reference=_reference(cut), was_cut=was_cut)


def _term(match: re.Match[str]) -> Term | None:
    text = (match["phrase"] if match["phrase"] is not None else match["word"]).strip()
    if not HAS_LETTER.search(text):
        return None
    return Term(text=text, is_phrase=match["phrase"] is not None, excluded=bool(match["minus"]))


def _reference(text: str) -> Reference | None:
    if text.startswith(("http://", "https://")):
        return _address(text.split(" ")[0])
    if short := SHORT_NAME.match(text):
        owner, name, ref = short.groups()
        return Reference(ref=ref, name=name, owner=owner)
    return None


def _address(text: str) -> Reference | None:
    try:
        address = parse_issue_address(text)
    except BadAddressError:
        return None
    owner, name = address.repository.full_name.split("/")
    return Reference(ref=address.ref, name=name, owner=owner, host=address.repository.host)
