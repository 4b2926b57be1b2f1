"""Takes a report apart into the places where evidence may stand: tags, title, form, prose, error lines, frames. Pure.

What a form asks is not what a person says, and a printed-out environment, a warning or a line of source code names no
failure: none of it is a place. How a body splits into prose and log is `kb.core.search.sections`.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ingest.suggest.phrases import Passage, Phrases
from kb.core.search.sections import split

MOST_TITLE = 1_000
# What a person says first is what the report is about.
MOST_PROSE = 1_200
MOST_LABELS = 100
# The calls of one failure; and the last ones of them, in which it happened.
MOST_CALLS, LAST_CALLS = 30, 4

BRACKET = re.compile(r"\s*[\[【(（]\s*([^\[\]【】()（）]{1,40}?)\s*[\]】)）]\s*[:：]?")
COLON = re.compile(r"\s*([^\W\d_][\w. ]{1,24}?)\s*[:：](?!:)")
HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.{1,200})|\s*\*\*([^*]{1,80})\*\*:?\s*$")
# A line of a log, a trace or a shell, which people paste without a fence.
MACHINE = re.compile(
    r"\s*(?:INFO|WARN|ERROR|DEBUG|CRITICAL|Traceback|File \"|\d{4}-\d\d-\d\d|\d\d:\d\d|\[\d|\[rank|\(\w+ pid=|[$%>#|]"
    r"|llama_|ggml_|llm_load|main:|print_info|system_info|srv |slot |import |from |python3? |pip3? |docker |export |--"
    r"|\})"
)
NAMES_AN_ERROR = re.compile(r"(?:Error|Exception): ")
# What a program only mentions, and source code that a trace quotes.
NO_FAILURE = re.compile(
    r"\b(?:INFO|DEBUG|\w{0,30}(?i:warning|warn))(?!\w)|^\s*(?:raise|except|assert|import|from|def|return|print|"
    r"logger|self\.|if|#|//)\b"
)
FRAME = re.compile(r'File "([^"\n]{1,300})", line \d+, in (\S{1,80})')
# A path on somebody's machine, whose words are the names of folders; an endpoint's address is none.
PATH = re.compile(r"(?<!\S)/(?!v\d)[^\s/]{1,100}(?:/[^\s/]{1,100}){2,}")
LABEL_PARTS = re.compile(r"\s*(?:type|kind|comp|component|module|area|topic)\s*[:/]\s*(.+)", re.IGNORECASE)


@dataclass(frozen=True)
class ErrorLine:
    """A line that names an error; `calls` are those on the way to it, `last` the last of them, as `path function`."""

    said: Passage
    calls: Passage
    last: Passage


@dataclass(frozen=True)
class Report:
    """A report's places. `errors` stand in their order; `calls` are the last of all; `tag` and `label` whole words."""

    tag: tuple[str, ...]
    title: Passage
    form: tuple[str, ...]
    prose: Passage
    errors: tuple[ErrorLine, ...]
    calls: Passage
    label: tuple[str, ...]


class Reader:
    """Reads reports, knowing what stands as a tag before titles and what forms say by themselves."""

    def __init__(self, *, tags: Collection[str], boilerplate: Collection[str]) -> None:
        self._tags = {plain(tag) for tag in tags}
        self._boilerplate = Phrases(boilerplate)

    def read(self, title: str, body: str, labels: Sequence[str]) -> Report:
        """Take a report apart. Any text will do."""
        tag, rest = self._tags_and_rest(title[:MOST_TITLE])
        sections = split(body)
        form, prose = self._form_and_prose(sections.prose)
        text = f"{sections.prose}\n{sections.log}"
        # Where each call of a trace ends, and `path function`.
        calls: list[tuple[int, str]] = []
        if 'File "' in text:
            calls = [(match.end(), f"{match[1]} {match[2]}") for match in FRAME.finditer(text)]
        return Report(
            tag=tag,
            title=Passage("" if self._boilerplate.find(Passage(rest)) else rest),
            form=form,
            prose=Passage(prose[:MOST_PROSE]),
            errors=_error_lines(sections.telling, text, calls),
            calls=Passage("\n".join(call for _, call in calls[-MOST_CALLS:])),
            label=tuple(labels[:MOST_LABELS]),
        )

    def _tags_and_rest(self, title: str) -> tuple[tuple[str, ...], str]:
        """What kind of report the title says it is, in brackets or before a colon, and the title without it."""
        tags: list[str] = []
        others: list[str] = []
        place = 0
        while match := BRACKET.match(title, place):
            (tags if plain(match[1]) in self._tags else others).append(match[1])
            place = match.end()
        match = COLON.match(title, place)
        if match and plain(match[1]) in self._tags:
            tags.append(match[1])
            place = match.end()
        rest = " ".join((*others, title[place:].strip()))
        # As many blanks, so that what is found still stands at its place.
        return tuple(tags), PATH.sub(lambda path: " " * len(path[0]), rest)

    def _form_and_prose(self, prose: str) -> tuple[tuple[str, ...], str]:
        """The headings, which are mostly a form's, and what a person wrote below them."""
        headings: list[str] = []
        written: list[str] = []
        for line in prose.split("\n"):
            match = HEADING.match(line)
            if match:
                headings.append((match[1] or match[2]).strip())
                continue
            is_machine = MACHINE.match(line) or NAMES_AN_ERROR.search(line)
            if line.strip() and not is_machine and not self._boilerplate.find(Passage(line)):
                written.append(line)
        return tuple(headings), "\n".join(written)


def whole_names(label: str) -> tuple[str, ...]:
    """A label's name, and what is left of one that begins with its kind: `type:bug` is also `bug`."""
    match = LABEL_PARTS.fullmatch(label)
    return (plain(label), plain(match[1])) if match else (plain(label),)


def plain(words: str) -> str:
    """Words as tags and labels are compared: in small letters, without emojis, one blank where anything else stood."""
    return " ".join(re.findall(r"[^\W_]+(?:[.+][^\W_]+)*", words.lower()))


def _error_lines(telling: Sequence[str], text: str, calls: Sequence[tuple[int, str]]) -> tuple[ErrorLine, ...]:
    """The lines that name a failure, each with the calls that stand before it."""
    errors: list[ErrorLine] = []
    for line in telling:
        if not NO_FAILURE.search(line):
            at = text.find(line)
            before = [call for end, call in calls if end <= at][-MOST_CALLS:]
            last = before[-LAST_CALLS:]
            errors.append(ErrorLine(Passage(line), Passage("\n".join(before)), Passage("\n".join(last))))
    return tuple(errors)
