"""Draws a sample from what a search finds, and says what would be drawn; `services.sampling` stores it."""

from dataclasses import dataclass
from typing import Literal

from kb.models import Issue
from labeling.models import Project, Round
from labeling.samples import Sample, proportional, random_sample, stratified_sample
from labeling.selectors import population

SHOWN = 5


@dataclass(frozen=True)
class Sampling:
    """How to draw: the best results of a search, at random from all of them, or at random within each framework.

    `query` is the query string of a search; an empty one finds everything. `fresh`: without the issues of the
    project's other rounds. `in_text`: every word of the search must stand in the title or the text. `with_text`:
    without issues whose report has no text beside its title.
    """

    kind: Literal["best", "random", "stratified"]
    size: int
    query: str = ""
    seed: str = ""
    fresh: bool = True
    in_text: bool = False
    with_text: bool = False


@dataclass(frozen=True)
class Drawn:
    """The addresses drawn, and how. `matches`: how many issues the search found."""

    urls: list[str]
    sample: Sample
    matches: int


@dataclass(frozen=True)
class Preview:
    """What a draw would give: `first` are some of the issues that the seed draws, or the first results.

    `matches`: found; `unmirrored` of these have no thread here, `without_text` have no text; `left` can be drawn.
    """

    matches: int
    unmirrored: int
    without_text: int
    left: int
    first: list[Issue]


def draw(*, project: Project, sampling: Sampling, other_than: Round | None = None) -> Drawn:
    """Draw a sample. The issues that the round `other_than` has now may be drawn again."""
    if sampling.kind == "best":
        found = population.best(query=sampling.query)
    else:
        found = population.matching(query=sampling.query)
    words = population.words_of(query=sampling.query) if sampling.in_text else ()
    reports = population.reports(urls=found, words=words)
    taken = population.drawn_before(project_id=project.pk, other_than=other_than) if sampling.fresh else set()
    if not project.is_demo:
        taken |= reports.unmirrored
    if sampling.with_text:
        taken |= reports.without_text
    urls = [url for url in reports.urls if url not in taken]
    drawn, strata = _choose(sampling, urls)
    sample = Sample(
        kind=sampling.kind, size=sampling.size, query=sampling.query, seed=sampling.seed, fresh=sampling.fresh,
        in_text=sampling.in_text, with_text=sampling.with_text, unmirrored=len(reports.unmirrored),
        without_text=len(reports.without_text), population=len(urls), drawn=len(drawn),
    )  # fmt: skip
    if strata:
        sample["strata"] = strata
    return Drawn(drawn, sample, len(reports.urls))


def preview(*, project: Project, sampling: Sampling, other_than: Round | None = None) -> Preview:
    """What a draw would give. Raises RefusedError as `population.matching` does."""
    drawn = draw(project=project, sampling=sampling, other_than=other_than)
    shown = drawn.urls[:SHOWN]
    by_url = {issue.url: issue for issue in Issue.objects.filter(url__in=shown).select_related("repository")}
    return Preview(
        matches=drawn.matches,
        unmirrored=drawn.sample["unmirrored"],
        without_text=drawn.sample["without_text"],
        left=drawn.sample["population"],
        first=[by_url[url] for url in shown if url in by_url],
    )


def _choose(sampling: Sampling, urls: list[str]) -> tuple[list[str], dict[str, list[int]]]:
    """The addresses drawn of these, and framework -> how many of how many, where each has its share."""
    if sampling.kind == "best":
        return urls[: sampling.size], {}
    if sampling.kind == "random":
        return random_sample(urls, size=sampling.size, seed=sampling.seed), {}
    strata = population.by_framework(urls=urls)
    sizes = {name: len(stratum) for name, stratum in strata.items()}
    shares = proportional(sizes, sampling.size)
    drawn = stratified_sample(strata, size=sampling.size, seed=sampling.seed)
    return drawn, {name: [shares[name], size] for name, size in sizes.items()}
