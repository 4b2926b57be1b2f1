"""Takes a report apart into the places where evidence may stand: tags, title, form, prose, error lines, frames. Pure.

What a form asks is not what a person says, and a printed-out environment, a warning or a line of source code names no
failure: none of it is a place. How a body splits into prose and log is `kb.search.sections`.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ingest.phrases import Passage, Phrases
from kb.search.sections import split

MOST_TITLE = 1_000
# What a person says first is what the report is about.
MOST_PROSE = 1_200
MOST_LABELS = 100
# Later frames are those of other failures, or of the same one again.
MOST_FRAMES = 200

BRACKET = re.compile(r"\s*[\[【(（]\s*([^\[\]【】()（）]{1,40}?)\s*[\]】)）]\s*[:：]?")
COLON = re.compile(r"\s*([^\W\d_][\w. ]{1,24}?)\s*[:：](?!:)")
HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.{1,200})|\s*\*\*([^*]{1,80})\*\*:?\s*$")
# A line of a log, a trace or a shell, which people paste without a fence.
MACHINE = re.compile(
    r"\s*(?:INFO|WARN|ERROR|DEBUG|CRITICAL|Traceback|File \"|\d{4}-\d\d-\d\d|\d\d:\d\d|\[\d|\[rank|\(\w+ pid=|[$%>#|]|>>>"
    r"|llama_|ggml_|llm_load|main:|print_info|system_info|srv |slot |import |from |python3? |pip3? |docker |export |--|\})"
)
NAMES_AN_ERROR = re.compile(r"(?:Error|Exception): ")
# What a program only mentions, and source code that a trace quotes.
NO_FAILURE = re.compile(
    r"\b(?:INFO|DEBUG|\w{0,30}(?i:warning|warn))(?!\w)|^\s*(?:raise|except|assert|import|from|def|return|print|"
    r"logger|self\.|if|#|//)\b"
)
FRAME = re.compile(r'File "([^"\n]{1,300})", line \d+, in (\S{1,80})')
SEPARATOR = re.compile(r"[:/]")


@dataclass(frozen=True)
class Report:
    """A report's places. `error` are the lines that name errors, in order; `tag` and `label` are whole words."""

    tag: tuple[str, ...]
    title: Passage
    form: tuple[str, ...]
    prose: Passage
    error: tuple[Passage, ...]
    frame: Passage
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
        return Report(
            tag=tag,
            title=Passage("" if self._boilerplate.find(Passage(rest)) else rest),
            form=form,
            prose=Passage(prose[:MOST_PROSE]),
            error=tuple(Passage(line) for line in sections.telling if not NO_FAILURE.search(line)),
            frame=Passage("\n".join(_frames(f"{sections.prose}\n{sections.log}"))),
            label=tuple(labels[:MOST_LABELS]),
        )

    def _tags_and_rest(self, title: str) -> tuple[tuple[str, ...], str]:
        """What kind of report the title says it is, in brackets or before a colon, and the title without it."""
        tags, kept, place = [], [], 0
        while found := BRACKET.match(title, place):
            (tags if plain(found[1]) in self._tags else kept).append(found[1])
            place = found.end()
        found = COLON.match(title, place)
        if found and plain(found[1]) in self._tags:
            tags.append(found[1])
            place = found.end()
        return tuple(tags), " ".join((*kept, title[place:].strip()))

    def _form_and_prose(self, prose: str) -> tuple[tuple[str, ...], str]:
        """The headings, which are mostly a form's, and what a person wrote below them."""
        headings, written = [], []
        for line in prose.split("\n"):
            if found := HEADING.match(line):
                headings.append((found[1] or found[2]).strip())
            elif not MACHINE.match(line) and not NAMES_AN_ERROR.search(line):
                passage = Passage(line)
                if line.strip() and not self._boilerplate.find(passage):
                    written.append(line)
        return tuple(headings), "\n".join(written)


def whole_names(label: str) -> tuple[str, ...]:
    """A label's name and the parts of one that tells its kind: `type:bug` is also `bug`."""
    return tuple(dict.fromkeys((plain(label), *(plain(part) for part in SEPARATOR.split(label)))))


def plain(words: str) -> str:
    """Words as tags and labels are compared: in small letters, without emojis, one blank where anything else stood."""
    return " ".join(re.findall(r"[^\W_]+(?:[.+][^\W_]+)*", words.lower()))


def _frames(text: str) -> list[str]:
    """The calls on the way to errors as `path function`, each once, the innermost last."""
    if 'File "' not in text:
        return []
    found = dict.fromkeys(f"{path} {function}" for path, function in FRAME.findall(text))
    return list(found)[:MOST_FRAMES]
