"""The answer panel above the results: what is known of the categories that a search names.

`kb.search.naming` decides which these are. The numbers are those of "given a symptom" (`kb.charts.cards`), and of
`kb.charts.given_category` for a cause or a component. All readers share a panel until the rows change.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from django.http import QueryDict
from django.urls import reverse

from kb.charts.cards import given
from kb.charts.chart import Counted
from kb.charts.drawings import SECONDS
from kb.charts.evidence import Evidence, gather
from kb.charts.given_category import commonest
from kb.charts.samples import is_drawn, small_note
from kb.charts.shares import CategoryShare, Share
from kb.filters.issues import AXIS_KEYS
from kb.models import Node, Playbook
from kb.search import ParsedSearch, SearchResult
from kb.search.named import naming
from kb.search.names import names
from kb.search.naming import CAUSE, COMPONENT, KEYS, SYMPTOM, Naming
from kb.selectors.remembered import remembered
from kb.web.search.facets import QUICK
from kb.web.search.links import query_url

MOST_PANELS = MOST_NAMED = 2
SHOWN_LINES, SHOWN_FIXES = 4, 3
# Single categories, not their groups: what to look for is among these.
LEVEL = 2
# Keys of filters with their values.
Filters = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class PanelNode:
    """A category with its page."""

    axis: str
    name: str
    url: str
    definition: str


@dataclass(frozen=True)
class Line:
    """A category with its share and its issues; `low`, `middle` and `width` are percents of the bar's scale."""

    name: str
    url: str
    share: Share
    issues_url: str
    low: int
    middle: int
    width: int


@dataclass(frozen=True)
class Wider:
    """What the words ask for, and the issues there, which are too few to say anything."""

    within: tuple[str, ...]
    counted: Counted
    issues_url: str


@dataclass(frozen=True)
class Panel:
    """What is known of a category. `within`: names of what narrows it; `wider`: why it is narrowed no further.

    `lines`: the causes of a symptom, else symptoms. `fixes` lead to playbooks.
    """

    key: str
    node: PanelNode
    within: tuple[str, ...]
    wider: Wider | None
    counted: Counted
    lines: tuple[Line, ...]
    fixes: tuple[Line, ...]
    fixed: Share
    issues_url: str
    fixed_url: str
    more_url: str

    @property
    def is_drawn(self) -> bool:
        """Whether enough issues are counted to say anything."""
        return is_drawn(self.counted.issues)

    @property
    def small(self) -> str:
        """A note that few issues are counted; empty where they are enough."""
        return small_note(self.counted.issues)


@dataclass(frozen=True)
class _Subject:
    """A category to tell about, the filters of the search, and what its words narrow besides."""

    key: str
    code: str
    filters: Filters
    narrowed: Filters


@dataclass(frozen=True)
class _Numbers:
    """What is counted of some evidence."""

    evidence: Evidence
    narrowed: Filters
    counted: Counted
    shares: tuple[CategoryShare, ...]
    fixes: tuple[CategoryShare, ...]
    fixed: Share


def panels(result: SearchResult) -> tuple[Panel, ...]:
    """At most two panels, the best first; none where the search names nothing, or nothing that issues come near."""
    if result.errors or result.query.reference or result.is_degraded:
        return ()
    named = naming(result)
    if not result.query.is_empty and not result.is_close and named.share < 1:
        return ()
    subjects = tuple(_subjects(result.asked, named))
    if not subjects:
        return ()
    key = sha256(repr(subjects).encode()).hexdigest()
    return remembered(f"panels:{key}", lambda: tuple(_panels(subjects)), seconds=SECONDS)


def _subjects(asked: ParsedSearch, named: Naming) -> Iterator[_Subject]:
    """What the words name; of a search without words, what its filters ask for. A filter says more than a word."""
    categories = {key: asked.wanted(key) or named.categories.get(key, ()) for key in KEYS}
    keys = (SYMPTOM,) if categories[SYMPTOM] else (CAUSE, COMPONENT)
    subjects = [(key, code) for key in keys for code in categories[key]]
    is_named = asked.query.is_empty or any(named.categories.get(key) for key in keys)
    # Of the issues with one cause, there is nothing to say about the causes.
    is_answered = bool(categories[SYMPTOM] and asked.wanted(CAUSE))
    if not is_named or is_answered or (not categories[SYMPTOM] and len(subjects) > MOST_NAMED):
        return
    # The row of quick filters chooses among the results: what is known of a category stays the same.
    filters = tuple((key, text) for key, text in asked.data.items() if text and key not in QUICK)
    beside = {COMPONENT: categories[COMPONENT], "framework": named.frameworks}
    for key, code in subjects[:MOST_PANELS]:
        narrowed = []
        for other, codes in beside.items():
            if other != key and 0 < len(codes) <= MOST_NAMED and not asked.data[other]:
                narrowed.append((other, ",".join(codes)))
        yield _Subject(key, code, filters, tuple(narrowed))


def _panels(subjects: Sequence[_Subject]) -> Iterator[Panel]:
    playbooks = frozenset(Playbook.objects.values_list("node__code", flat=True))
    for subject in subjects:
        nodes = Node.objects.house().filter(axis__code=AXIS_KEYS[subject.key], code=subject.code)
        tried = list(_tried(subject))
        for node in nodes.select_related("axis__scheme"):
            if tried:
                yield _panel(subject, node, tried, playbooks)


def _tried(subject: _Subject) -> Iterator[_Numbers]:
    """The numbers under all that narrows the search, then under less of it, until there are enough to say anything."""
    for narrowed in _ever_wider(subject.narrowed):
        params = QueryDict(mutable=True)
        for key, text in (*subject.filters, (subject.key, subject.code), *narrowed):
            params[key] = text
        evidence = gather(params)
        if evidence.errors:
            return
        numbers = _numbers(subject.key, evidence, narrowed)
        yield numbers
        if is_drawn(numbers.counted.issues):
            return


def _ever_wider(narrowed: Filters) -> Iterator[Filters]:
    """Without the framework, then in the group of the component, at last without both."""
    yield narrowed
    component = tuple(each for each in narrowed if each[0] == COMPONENT)
    if component and component != narrowed:
        yield component
    codes = [code for _, text in component for code in text.split(",")]
    groups = Node.objects.house().filter(axis__code=COMPONENT, children__code__in=codes).distinct() if codes else ()
    if groups:
        yield ((COMPONENT, ",".join(group.code for group in groups)),)
    if narrowed:
        yield ()


def _numbers(key: str, evidence: Evidence, narrowed: Filters) -> _Numbers:
    if key == SYMPTOM and (known := given(evidence, LEVEL)):
        causes = tuple(CategoryShare(cause.heading, cause.share, cause.query) for cause in known.causes)
        return _Numbers(evidence, narrowed, known.counted, causes, known.fixes, known.fixed)
    beside = commonest(evidence, LEVEL)
    return _Numbers(evidence, narrowed, beside.counted, beside.symptoms, beside.fixes, beside.fixed)


def _panel(subject: _Subject, node: Node, tried: Sequence[_Numbers], playbooks: Collection[str]) -> Panel:
    numbers = tried[-1]
    evidence = numbers.evidence
    level = f"&level={LEVEL}" if subject.key == SYMPTOM else ""
    return Panel(
        key=subject.key,
        node=PanelNode(node.axis.code, node.name, node.get_absolute_url(), node.definition),
        within=_names(numbers.narrowed),
        wider=_wider(tried[0]) if len(tried) > 1 else None,
        counted=numbers.counted,
        lines=_lines(numbers.shares)[:SHOWN_LINES],
        fixes=_lines(numbers.fixes, playbooks)[:SHOWN_FIXES],
        fixed=numbers.fixed,
        issues_url=query_url(evidence.params),
        fixed_url=query_url(evidence.saying(has_fix="true").params),
        more_url=f"{reverse('given')}?{evidence.params.urlencode(safe='/,')}{level}",
    )


def _lines(shares: Sequence[CategoryShare], playbooks: Collection[str] = ()) -> tuple[Line, ...]:
    """What was seen more than once, among enough issues to say anything; a fix pattern leads to its playbook."""
    lines = []
    for category in shares:
        share, heading = category.share, category.heading
        if share.issues < 2 or not is_drawn(share.of):
            continue
        interval = share.interval
        lines.append(
            Line(
                name=heading.name,
                url=reverse("playbook", args=(heading.code,)) if heading.code in playbooks else heading.url,
                share=share,
                issues_url=f"{reverse('search')}?{category.query}",
                low=round(interval.low * 100),
                middle=round(share.value * 100),
                width=max(1, round((interval.high - interval.low) * 100)),
            )
        )
    return tuple(lines)


def _names(narrowed: Filters) -> tuple[str, ...]:
    """What narrows the numbers, by name."""
    shown = []
    for key, text in narrowed:
        lookup = names().of(key)
        values = [lookup.get(code) if lookup else None for code in text.split(",")]
        shown.append(" or ".join(value.name for value in values if value))
    return tuple(shown)


def _wider(first: _Numbers) -> Wider:
    return Wider(_names(first.narrowed), first.counted, query_url(first.evidence.params))
