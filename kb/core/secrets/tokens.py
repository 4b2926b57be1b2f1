"""Secrets that say themselves what they are: by a prefix that their issuer chose so that they can be found.

A pattern takes a whole run of its own characters or nothing, and begins only where no such character stands before it.
So a text of nothing but prefixes is gone through once.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from kb.core.secrets.kinds import Finder, Kind, Span
from kb.core.secrets.values import is_mixed, is_mixed_case, is_random, is_varied

# Some editors put a backslash before an underscore, which Markdown takes away again.
LINE = r"\\?_"
WORD, ID = r"[A-Za-z0-9]", r"[A-Za-z0-9_\-]"
# An access key's secret stands beside it: on the next line, or a few words on.
BESIDE = 200
AWS_ID = re.compile(r"(?<![A-Za-z0-9])A(?:KI|SI)A[A-Z0-9]{16}(?![A-Za-z0-9])")
AWS_SECRET = re.compile(r"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
HEX40 = re.compile(r"(?<![A-Za-z0-9])[0-9a-f]{40}(?![A-Za-z0-9])")
WANDB = "wandb"
PEM_HEAD = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
# Up to the end mark; where the paste was cut off, lines of base64.
PEM_BODY = re.compile(r"[^-]{0,20000}+(?:-(?!----)[^-]{0,20000}+){0,2000}(?=-----END )")
PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
PEM_REST = re.compile(r"(?:[\s>|\"',\\]{0,8}[A-Za-z0-9+/=]{16,}+){1,1000}")
BASE64 = re.compile(r"[A-Za-z0-9+/=]{20}")


@dataclass(frozen=True)
class Prefixed:
    """Tokens with a prefix. `pattern` matches from `back` characters before a sign on; `is_secret` checks the match."""

    kind: Kind
    signs: tuple[str, ...]
    pattern: re.Pattern[str]
    is_secret: Callable[[str], bool]
    back: int

    def find(self, text: str, places: Sequence[int]) -> list[Span]:
        """See `Finder`."""
        spans: list[Span] = []
        for place in places:
            match = self.pattern.match(text, place - self.back) if place >= self.back else None
            if match and self.is_secret(match[0]) and "EXAMPLE" not in match[0]:
                spans.append(Span(*match.span(), self.kind))
        return spans


def _prefixed(
    kind: Kind, signs: Sequence[str], pattern: str, *, run: str = WORD, is_secret: Callable[[str], bool] = is_varied,
    back: int = 0,
) -> Prefixed:  # fmt: skip
    """`run`: characters that may stand neither before nor behind it."""
    return Prefixed(kind, tuple(signs), re.compile(f"(?<!{run})(?:{pattern})(?!{run})"), is_secret, back)


PREFIXED = (
    _prefixed(Kind.GITHUB, (*(f"gh{letter}_" for letter in "pousr"), "ghp\\_"), rf"gh[pousr]{LINE}{WORD}{{36,}}+"),
    _prefixed(Kind.GITHUB, ("github_pat_",), r"github_pat_[A-Za-z0-9_]{40,}+", run="[A-Za-z0-9_]"),
    _prefixed(Kind.HUGGING_FACE, ("hf_", "hf\\_"), rf"hf{LINE}{WORD}{{30,}}+", is_secret=is_mixed_case),
    _prefixed(Kind.ANTHROPIC, ("sk-",), rf"sk-ant-{ID}{{20,}}+", run=ID, is_secret=is_mixed),
    _prefixed(Kind.OPENAI, ("sk-",), rf"sk-(?!ant-){ID}{{20,}}+", run=ID, is_secret=partial(is_random, share=0.2)),
    _prefixed(Kind.GOOGLE, ("AIza",), rf"AIza{ID}{{35}}", run=ID),
    _prefixed(Kind.GOOGLE, ("ya29.",), rf"ya29\.{ID}{{20,}}+"),
    _prefixed(Kind.SLACK, ("xox",), rf"xox[abeoprs]-{ID}{{10,}}+", run=ID, is_secret=is_mixed),
    _prefixed(Kind.GITLAB, ("glpat-",), rf"glpat-{ID}{{20,}}+", run=ID),
    _prefixed(Kind.PYPI, ("pypi-A",), rf"pypi-A{ID}{{60,}}+", run=ID),
    _prefixed(Kind.NPM, ("npm_",), rf"npm_{WORD}{{36,}}+"),
    _prefixed(Kind.DOCKER, ("dckr_pat_",), rf"dckr_pat_{ID}{{20,}}+", run=ID),
    _prefixed(Kind.STRIPE, ("k_live_", "k_test_"), rf"[rs]k_(?:live|test)_{WORD}{{16,}}+", back=1),
    _prefixed(Kind.SERVICE, ("gsk_",), rf"gsk_{WORD}{{40,}}+"),
    _prefixed(Kind.SERVICE, ("nvapi-",), rf"nvapi-{ID}{{40,}}+", run=ID),
    _prefixed(Kind.JWT, ("eyJ",), rf"eyJ{ID}{{10,}}+(?:\.{ID}{{10,}}+){{1,4}}", run=ID, is_secret=is_mixed),
)


def finders() -> Iterator[Finder]:
    """The finders of this module."""
    for token in PREFIXED:
        yield Finder(token.signs, token.find)
    yield Finder(("AKIA", "ASIA"), _find_aws)
    yield Finder(("-----BEGIN ",), _find_private_keys)
    yield Finder((WANDB,), _find_wandb)


def _find_aws(text: str, places: Sequence[int]) -> list[Span]:
    """Access keys, and the secret beside each."""
    spans: list[Span] = []
    for place in places:
        key = AWS_ID.match(text, place)
        if key and is_varied(key[0]) and "EXAMPLE" not in key[0]:
            spans.append(Span(*key.span(), Kind.AWS))
            secret = AWS_SECRET.search(text, key.end(), key.end() + BESIDE)
            if secret and is_random(secret[0]) and "EXAMPLE" not in secret[0]:
                spans.append(Span(*secret.span(), Kind.AWS))
    return spans


def _find_private_keys(text: str, places: Sequence[int]) -> list[Span]:
    """Whole blocks with both marks; a block with nothing in it is somebody's explanation."""
    spans: list[Span] = []
    for place in places:
        begin = PEM_HEAD.match(text, place)
        if begin is None:
            continue
        body = PEM_BODY.match(text, begin.end())
        end = PEM_END.match(text, body.end()) if body else None
        if end is None:
            body = PEM_REST.match(text, begin.end())
        if body and BASE64.search(body[0]):
            spans.append(Span(place, (end or body).end(), Kind.PRIVATE_KEY))
    return spans


def _find_wandb(text: str, places: Sequence[int]) -> list[Span]:  # noqa: ARG001 as all finders
    """Weights & Biases' keys are bare hexadecimal numbers, as commits are: only the words before them tell."""
    spans: list[Span] = []
    for number in HEX40.finditer(text):
        before = text[max(0, number.start() - BESIDE) : number.start()].lower()
        between = before[before.rfind(WANDB) :] if WANDB in before else ""
        # A commit stands behind “version”, or alone.
        names_key = any(word in between for word in ("key", "login", "password", "token", "secret"))
        if names_key and between.count("\n") <= 1 and "removed" not in between:
            spans.append(Span(*number.span(), Kind.WANDB))
    return spans
