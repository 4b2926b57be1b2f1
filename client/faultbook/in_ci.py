"""A diagnosis as continuous integration shows it: a job's summary in Markdown, and annotations of GitHub's.

Lines of a log are a stranger's: they must not end the block that quotes them, nor become a command to the runner.
"""

import re
from collections.abc import Iterator

from kb.core.diagnosis.schema import DiagnosisData
from kb.core.diagnosis.terminal import TITLES, as_text, as_text_of_known
from kb.core.triage import plain

MOST_ISSUES, MOST_ANNOTATIONS = 5, 10
TICKS = re.compile(r"`+")
UNPRINTED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
ESCAPES = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
ESCAPES_OF_NAMES = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def as_markdown(data: DiagnosisData) -> str:
    """What failed in a sentence, known issues as links, and all of the text."""
    text = UNPRINTED.sub(" ", as_text(data) + as_text_of_known(data, data)).rstrip()
    fence = "`" * max(3, *(len(ticks) + 1 for ticks in TICKS.findall(text)), 0)
    issues = [
        f"- [{plain(issue['title'])}]({issue['source_url']}) {plain(issue.get('fix_line', ''))}".rstrip()
        for issue in data.get("issues", [])[:MOST_ISSUES]
    ]
    parts = [
        f"### {TITLES[data['verdict']]}",
        plain(data["sentence"]),
        "\n".join(["**Known issues**", "", *issues]) if issues else "",
        f"{fence}text\n{text}\n{fence}",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def annotations(data: DiagnosisData) -> Iterator[str]:
    """A command to the runner for each line that says what failed first."""
    title = TITLES[data["verdict"]].translate(ESCAPES_OF_NAMES)
    for line in [each for each in data["lines"] if each["indicated"]][:MOST_ANNOTATIONS]:
        file = line["file"].translate(ESCAPES_OF_NAMES)
        yield f"::error file={file},line={line['line']},title={title}::{line['text'].strip().translate(ESCAPES)}"
