"""What a commit's message says of pull requests, picks, reverts and issues. Pure."""

import re
from dataclasses import dataclass

from ingest.hosts.closing_words import CLOSES, MOST_READ

# GitHub's squash: `Title (#123)`; a pick of it by another pull request: `Title (#123) (#130)`.
TRAILING = re.compile(r"\s*\(#(\d{1,7})\)(?=\s*(?:\(#\d{1,7}\)\s*)*(?:\[skip ci\]\s*)?$)")
MERGE = re.compile(r"^Merge pull request (?:#|!)(\d{1,7}) from \S+")
# Robots that pick: "cp: `Title (12)` into `core_r0.15.0` (#13)", "cherry-pick: #12 (Title) (#13)", "(backport #12)".
PICKED_PULL = (
    re.compile(r"^cp: `.*\((?:#|!)?(\d{1,7})\)` into `"),
    re.compile(r"^\W*(?:cherry[- ]?pick(?:ed)?|backport)\W{1,3}(?:of |pr )?#(\d{1,7})\b", re.IGNORECASE),
    re.compile(r"\((?:cherry[- ]?pick(?:ed)?|backport)(?: of)? #(\d{1,7})\)", re.IGNORECASE),
)
PICKED_COMMIT = re.compile(r"\(cherry picked from commit ([0-9a-f]{7,64})\)")
REVERTED_COMMIT = re.compile(r"\bThis reverts commit ([0-9a-f]{7,64})")
REVERTED_TITLE = re.compile(r'^(?:\[[\w ]+\] ?)?Revert "(.+)"', re.IGNORECASE)
REAPPLIED_TITLE = re.compile(r'^Reapply "(.+)"', re.IGNORECASE)
REVERTED_PULL = (
    re.compile(r"^Reverts (?:[\w.-]+/[\w.-]+)?#(\d{1,7})\b", re.MULTILINE),
    re.compile(r"^(?:[\w()/-]{1,40}: ?)?\W*Revert(?:s|ed)? (?:(?:PR|pull request) #?|#)(\d{1,7})\b", re.IGNORECASE),
)
CLOSED = re.compile(
    rf"{CLOSES}(?:(?P<name>[\w.-]+/[\w.-]+)?#|https?://(?:www\.)?(?P<host>github\.com|gitee\.com)/"
    r"(?P<path>[\w.-]+/[\w.-]+)/issues/)(?P<ref>\d{1,9}|I[0-9A-Z]{3,12})\b",
    re.IGNORECASE,
)
FIXES = re.compile(r"\b(?:bug|hot)?fix(?:e[sd]|ing)?\b|\bbugs?\b|\bresolve[sd]?\b|\bcorrect(?:s|ed)?\b", re.IGNORECASE)
# A squash of a branch lists the pull requests that were merged into it.
BUNDLED = re.compile(r"^\s*[*-] .*\(#(\d{1,7})\)\s*$", re.MULTILINE)
MOST_CLOSED = 20
MOST_TITLE = 300


@dataclass(frozen=True, slots=True)
class Message:
    """What a message says. `pulls`: numbers whose change this commit is, its own last; `bundled`: those in it."""

    title: str
    pulls: tuple[int, ...] = ()
    bundled: tuple[int, ...] = ()
    picked: tuple[str, ...] = ()
    reverted_commits: tuple[str, ...] = ()
    reverted_pulls: tuple[int, ...] = ()
    reverted_title: str = ""
    is_reapplied: bool = False
    closes: tuple[str, ...] = ()

    @property
    def is_fix(self) -> bool:
        """Whether it says that it fixes something."""
        return bool(self.closes or FIXES.search(self.title))

    @property
    def is_revert(self) -> bool:
        """Whether it takes something back, or a revert of it."""
        return bool(self.reverted_commits or self.reverted_pulls or self.reverted_title)

    @property
    def says_nothing(self) -> bool:
        """Whether no change follows from it."""
        return not (self.pulls or self.picked or self.closes or self.is_revert)


def message_of(text: str, *, host: str, repository: str) -> Message:
    """Read a whole message of a repository's commit."""
    text = text[:MOST_READ]
    title, _, body = text.lstrip("\n").partition("\n")
    title = title.strip()[:MOST_TITLE]
    reverted = REVERTED_TITLE.search(title)
    reapplied = REAPPLIED_TITLE.search(title)
    quoted = reverted or reapplied
    commits = tuple(REVERTED_COMMIT.findall(body)) if reverted or "revert" in title.lower() or quoted else ()
    return Message(
        title=title,
        pulls=_pulls(title),
        bundled=tuple(dict.fromkeys(map(int, BUNDLED.findall(body)))),
        picked=tuple(PICKED_COMMIT.findall(body)),
        reverted_commits=commits,
        reverted_pulls=_reverted_pulls(title, body),
        reverted_title=quoted.group(1) if quoted else "",
        is_reapplied=reapplied is not None,
        closes=_closed(text, host, repository),
    )


def _pulls(title: str) -> tuple[int, ...]:
    """Own and picked numbers, without repetition; the own one is last."""
    numbers = [int(number) for number in TRAILING.findall(title)]
    merge = MERGE.match(title)
    if merge:
        numbers.append(int(merge.group(1)))
    for pattern in PICKED_PULL:
        picked = pattern.search(title)
        if picked:
            numbers.insert(0, int(picked.group(1)))
    return tuple(dict.fromkeys(numbers))


def _reverted_pulls(title: str, body: str) -> tuple[int, ...]:
    numbers: list[int] = []
    for pattern in REVERTED_PULL:
        place = body if pattern.flags & re.MULTILINE else title
        numbers += [int(number) for number in pattern.findall(place)]
    return tuple(dict.fromkeys(numbers))


def _closed(text: str, host: str, repository: str) -> tuple[str, ...]:
    """The addresses of issues that it says it closes."""
    urls: dict[str, None] = {}
    for match in CLOSED.finditer(text):
        name = match["path"] or match["name"] or repository
        urls[f"https://{(match['host'] or host).lower()}/{name}/issues/{match['ref'].upper()}"] = None
    return tuple(urls)[:MOST_CLOSED]
