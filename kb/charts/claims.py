"""What studies claim, each claim with our number now and a verdict. Reads the database; `kb.core.claims` judges.

A number of ours has the query of the issues behind it. It is counted live over the issues of this site.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.urls import reverse

from kb.charts.claim_counts import ClaimCounts, count_claims, narrowed
from kb.charts.figures import percent, percent_range
from kb.codebook.claims import (
    CauseMeasure,
    ClaimFile,
    EvaluationMeasure,
    OrderMeasure,
    PublishedFile,
    RatioMeasure,
    ShareMeasure,
    claims_by_study,
)
from kb.core import claims as judging
from kb.core.claims import Judgement, Verdict
from kb.core.intervals import Interval, wilson
from kb.core.quality.figures import figure
from kb.models import Study

NO_VERDICT = "no verdict"


@dataclass(frozen=True)
class Part:
    """A count of ours in words, with the query of its issues."""

    name: str
    issues: int
    query: str


@dataclass(frozen=True)
class Ours:
    """Our number: `value` and its interval are shares or ratios, None where there is no single one.

    Its counts stand behind `text` with `joint` between them; `page` leads to what is no count of issues.
    """

    text: str
    parts: tuple[Part, ...] = ()
    joint: str = " of "
    value: float | None = None
    interval: Interval | None = None
    of: int | None = None
    page: str = ""


@dataclass(frozen=True)
class Claim:
    """A claim of a study with our number, if one can be asked for, and the verdict.

    `published`: what was printed, in words; empty where nothing was.
    """

    study: Study
    file: ClaimFile
    published: str
    ours: Ours | None
    judgement: Judgement

    @property
    def slug(self) -> str:
        """Its name, unique with its study's."""
        return self.file.slug

    @property
    def verdict(self) -> Verdict | None:
        """None where the study printed nothing to judge."""
        return self.judgement.verdict

    @property
    def is_asked(self) -> bool:
        """Whether our data can be asked for a number."""
        return self.verdict is not Verdict.CANNOT

    @property
    def verdict_name(self) -> str:
        """The verdict in words."""
        return self.verdict.value if self.verdict else NO_VERDICT

    @property
    def verdict_code(self) -> str:
        """The verdict in addresses."""
        return code_of(self.verdict_name)

    def get_absolute_url(self) -> str:
        """Its place on its study's page."""
        return f"{reverse('study', args=(self.study.slug,))}#{self.file.anchor}"


def claims(studies: Iterable[Study]) -> tuple[Claim, ...]:
    """The claims of these studies in their order."""
    by_study = claims_by_study()
    asked = [study for study in studies if study.slug in by_study]
    if not asked:
        return ()
    # All that ship are counted together, so that every page shares one remembered answer.
    counts = count_claims([claim for files in by_study.values() for claim in files])
    found = []
    for study in asked:
        for file in by_study[study.slug]:
            names = counts.codes[file.measure.by] if isinstance(file.measure, OrderMeasure) else {}
            found.append(Claim(study, file, published_text(file.published, names), *_judged(file, counts)))
    return tuple(found)


def tally(found: Iterable[Claim]) -> tuple[tuple[str, int], ...]:
    """How often each verdict was reached, all of them in their order."""
    counted = Counter(claim.verdict_name for claim in found)
    return tuple((name, counted[name]) for name in verdict_names())


def verdict_names() -> tuple[str, ...]:
    """Every verdict in words."""
    return (*(verdict.value for verdict in Verdict), NO_VERDICT)


def code_of(verdict: str) -> str:
    """A verdict's words as they stand in addresses."""
    return verdict.replace(" ", "-")


def _judged(claim: ClaimFile, counts: ClaimCounts) -> tuple[Ours | None, Judgement]:
    measure, published = claim.measure, claim.published
    if isinstance(measure, ShareMeasure):
        return _share(measure, published, counts)
    if isinstance(measure, RatioMeasure):
        return _ratio(measure, published, counts)
    if isinstance(measure, OrderMeasure):
        return _order(measure, published, counts)
    if isinstance(measure, CauseMeasure):
        return _told(published, counts)
    if isinstance(measure, EvaluationMeasure):
        return _evaluated(measure, published)
    return None, Judgement(Verdict.CANNOT, claim.cannot or "")


def _share(measure: ShareMeasure, published: PublishedFile | None, counts: ClaimCounts) -> tuple[Ours, Judgement]:
    base, part = narrowed(measure.base), narrowed(measure.base, measure.part)
    cases, of = counts.issues[part], counts.issues[base]
    parts = (Part(f"{cases:,}", cases, part), Part(f"{of:,}", of, base))
    ours = share_of(cases, of, parts)
    if published and published.never:
        return ours, judging.judge_never(cases, of)
    return ours, judging.judge_share(cases, of, _published_share(published))


def share_of(cases: int, of: int, parts: tuple[Part, ...] = (), page: str = "") -> Ours:
    """A share of ours; without a value over no case."""
    if not of:
        return Ours("none of ours answers", parts, of=0, page=page)
    interval = wilson(cases, of)
    text = f"{percent(cases / of)} ({percent_range(interval)})"
    return Ours(text, parts, value=cases / of, interval=interval, of=of, page=page)


def _published_share(published: PublishedFile | None) -> judging.PublishedShare | None:
    if published is None or published.percent is None:
        return None
    return judging.PublishedShare(published.percent / 100, published.n, published.bound)


def _ratio(measure: RatioMeasure, published: PublishedFile | None, counts: ClaimCounts) -> tuple[Ours, Judgement]:
    queries = [narrowed(measure.base, query) for query in (measure.first, measure.second)]
    first, second = (counts.issues[query] for query in queries)
    parts = tuple(Part(f"{counts.issues[query]:,}", counts.issues[query], query) for query in queries)
    value = first / second if second else None
    interval = judging.odds_of(wilson(first, first + second)) if first + second else None
    text = "none of ours answers" if interval is None else f"{judging.to_one(value)} ({_range(interval)})"
    bound = published.bound if published else None
    judgement = judging.judge_ratio(first, second, published.ratio if published else None, bound)
    return Ours(text, parts, " to ", value, interval, first + second), judgement


def _range(interval: Interval) -> str:
    return f"{interval.low:.1f} to {judging.to_one(interval.high)}"


def _order(measure: OrderMeasure, published: PublishedFile | None, counts: ClaimCounts) -> tuple[Ours, Judgement]:
    names = counts.codes[measure.by]
    queries = {code: narrowed(measure.base, f"{measure.by}={code}") for code in names}
    of = counts.issues[narrowed(measure.base, f"{measure.by}={','.join(names)}")]
    by_code = {code: counts.issues[query] for code, query in queries.items()}
    order = published.order if published else ()
    places = {code: place for place, code in enumerate(order)}
    ranked = sorted(by_code, key=lambda code: (-by_code[code], places.get(code, len(places)), code))
    shown = ranked[: measure.top + 1]
    parts = tuple(Part(f"{names[code]} {by_code[code]:,}", by_code[code], queries[code]) for code in shown)
    judgement = judging.judge_order(
        {names[code]: count for code, count in by_code.items()},
        of,
        [names.get(code, code) for code in order],
        any_order=bool(published and published.any_order),
    )
    return Ours(f"the first {measure.top} and the next, of {of:,}", parts, ", ", of=of), judgement


def _told(published: PublishedFile | None, counts: ClaimCounts) -> tuple[Ours, Judgement]:
    told = counts.told
    page = reverse("chart", args=("symptom-tells-cause",)) + "?curated=true"
    ours = share_of(told.first, told.reports, page=page)
    return ours, judging.judge_share(told.first, told.reports, _published_share(published))


def _evaluated(measure: EvaluationMeasure, published: PublishedFile | None) -> tuple[Ours, Judgement]:
    """A figure of our own evaluation: no count of issues, so its page stands behind it."""
    ours = figure(of=measure.of, name=measure.name)
    if ours.low is None or ours.high is None:
        raise ValueError(f"{measure.name} was measured without an interval")
    interval, page = Interval(ours.low, ours.high), reverse("quality")
    if published is None or published.number is None:
        text = f"{percent(ours.value)} ({percent_range(interval)})"
        value = None if published is None or published.percent is None else published.percent / 100
    else:
        text, value = f"{ours.value:.3f} ({ours.low:.2f}–{ours.high:.2f})", published.number
    judgement = judging.judge_figure(interval, ours.n, value, published.bound if published else None)
    return Ours(text, value=ours.value, interval=interval, of=ours.n, page=page), judgement


def published_text(published: PublishedFile | None, names: Mapping[str, str]) -> str:
    """What was printed, in words; empty where nothing was. `names`: of codes in an order."""
    if published is None:
        return ""
    bound = {"at_least": "at least ", "at_most": "at most ", "about": "about "}.get(published.bound or "", "")
    if published.percent is not None:
        of = f" of {published.n:,}" if published.n else ""
        cases = f"{published.cases:,}{of} ({{}})" if published.cases is not None else f"{{}}{of}"
        return bound + cases.format(f"{published.percent:g} %")
    if published.ratio is not None:
        return f"{bound}{published.ratio:g} to 1"
    if published.number is not None:
        return f"{bound}{published.number:g} {published.unit}"
    if published.never:
        return "never"
    joint = ", " if published.any_order else ", then "
    said = joint.join(names.get(code, code) for code in published.order)
    return f"{said} (in no order)" if published.any_order else said
