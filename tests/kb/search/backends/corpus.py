"""A small knowledge base in which everything that can differ does, and random requests about it."""

import datetime as dt
import random

from hypothesis import strategies as st

from kb.core.search.values import Condition, Document, Request, Sort, TextQuery, Wanted
from kb.filters.issues import AXIS_KEYS
from kb.models import Issue, Kind, Node, Source, State
from kb.models.circumstances import FACTS
from kb.search.backends.fields import NUMBER_KEYS, VALUE_KEYS
from kb.search.documents import documents
from tests.support.factories import (
    make_axis,
    make_fix,
    make_issue,
    make_label,
    make_node,
    make_repository,
    make_source,
    make_study,
)

ISSUES = 70
# Words that neither the normaliser nor Postgres changes.
WORDS = ("hang", "gpu", "kernel", "token", "loss", "shard")
# Keys whose values come from the world and may not be known; the others are fixed sets.
OPEN_KEYS = ("framework", "repository", "source", "node", *AXIS_KEYS)
START = dt.datetime(2023, 11, 1, tzinfo=dt.UTC)


class Corpus(list[Document]):
    """Documents that a failing test does not print one by one."""

    def __repr__(self) -> str:
        return f"{len(self)} documents"


def make_corpus() -> Corpus:
    """Issues with labels, fixes and texts drawn at random, the same each time."""
    chance = random.Random(3)  # noqa: S311
    nodes = _nodes()
    study = make_study("olf")
    sources = [
        make_source("curated"),
        make_source("rule", kind=Source.Kind.RULE),
        make_source("olf", kind=Source.Kind.STUDY, study=study),
    ]
    fixes = [
        make_fix(number, additions=lines, deletions=0, files_changed=files)
        for number, lines, files in ((1, 3, 1), (2, 10, None), (3, 11, 4), (4, None, 2))
    ]
    for ref in range(1, ISSUES + 1):
        issue = _issue(ref, chance)
        for source, node in {(chance.choice(sources), chance.choice(nodes)) for _ in range(chance.randrange(7))}:
            make_label(issue, node, source)
        issue.fixes.set(chance.sample(fixes, chance.choice((0, 0, 1, 2))))
    return Corpus(documents(list(Issue.objects.values_list("pk", flat=True))))


def _nodes() -> list[Node]:
    found = []
    study_axis = make_axis("bug", scheme="olf", study=make_study("another"))
    for axis in (*(make_axis(code) for code in AXIS_KEYS.values()), study_axis):
        top = make_node("top", axis=axis)
        below = make_node("top.below", axis=axis, parent=top)
        found += [top, below, make_node("other", axis=axis)]
    return found


def _issue(ref: int, chance: random.Random) -> Issue:
    def some(most: int) -> str:
        return " ".join(chance.choice(WORDS) for _ in range(chance.randrange(most)))

    opened = chance.choice((None, *(START + dt.timedelta(days=20 * i) for i in range(8))))
    closed = opened + dt.timedelta(hours=chance.choice((1, 30, 24 * 40))) if opened and chance.random() < 0.6 else None
    owner, framework = chance.choice((("a/One", "one"), ("a/Two", "one"), ("b/One", "two")))
    return make_issue(
        ref,
        repository=make_repository(owner, framework),
        kind=chance.choice((Kind.ISSUE, Kind.ISSUE, Kind.UNKNOWN, Kind.PULL_REQUEST)),
        state=State.CLOSED if closed else chance.choice((State.OPEN, State.UNKNOWN)),
        title=some(4),
        body=f"{some(6)}\n```\n{some(5)}\n```\n",
        summary=some(3),
        resolution=some(2),
        opened_at=opened,
        closed_at=closed,
        comment_count=chance.choice((None, 0, 2, 2, 12)),
        reaction_count=chance.choice((None, 0, 5)),
        **{fact.key: chance.choice(("", "", *fact.words.values)) for fact in FACTS},
    )


def requests(corpus: list[Document], *, phrases: bool = True) -> st.SearchStrategy[Request]:
    """Anything that can be asked about these documents."""
    return st.builds(
        Request,
        text=_texts(phrases=phrases),
        conditions=st.lists(_conditions(corpus), max_size=4, unique_by=lambda one: one.key).map(tuple),
        sort=st.sampled_from(list(Sort)),
        offset=st.just(0),
        limit=st.just(2 * ISSUES),
        facets=st.lists(st.sampled_from(VALUE_KEYS), unique=True).map(tuple),
    )


def _texts(*, phrases: bool) -> st.SearchStrategy[TextQuery]:
    word = st.sampled_from((*WORDS, "nowhere"))
    weighted = st.tuples(word, st.sampled_from((1.0, 0.5)))
    wanted = st.lists(weighted, min_size=1, max_size=2).map(lambda words: Wanted(tuple(words)))
    together = st.lists(word, min_size=1, max_size=3 if phrases else 1).map(tuple)
    return st.builds(
        TextQuery,
        wanted=st.lists(wanted, max_size=4).map(tuple),
        least=st.integers(0, 5),
        phrases=st.lists(together, max_size=1).map(tuple),
        unwanted=st.lists(together, max_size=1).map(tuple),
    )


def _conditions(corpus: list[Document]) -> st.SearchStrategy[Condition]:
    named, ranges = [], []
    for key in VALUE_KEYS:
        known = sorted({value for document in corpus for value in document.values.get(key, ())})
        some = st.lists(st.sampled_from(known + ["unheard-of"] * (key in OPEN_KEYS)), unique=True, max_size=3)
        named.append(st.builds(Condition, key=st.just(key), wanted=some.map(tuple), unwanted=some.map(tuple)))
    for key in NUMBER_KEYS:
        numbers = sorted({document.numbers[key] for document in corpus if key in document.numbers})
        end = st.none() | st.sampled_from(numbers)
        ranges.append(st.builds(Condition, key=st.just(key), low=end, high=end))
    return st.one_of(*named, *ranges)
