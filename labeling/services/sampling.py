"""Draws a round's sample and records how, so that it can be drawn again."""

from dataclasses import dataclass
from typing import Literal

from django.db import transaction

from labeling.models import Member, Round
from labeling.refusals import RefusedError
from labeling.samples import Sample, proportional, random_sample, stratified_sample
from labeling.selectors import population
from labeling.selectors.rounds import is_being_filled
from labeling.selectors.screening import all_screened
from labeling.services.fill import Given, give
from labeling.services.rounds import locked_round

MOST_DRAWN = 10_000


class RejectedLinesError(RefusedError):
    """A list of addresses has lines that stand for no issue; `listed` has them, each with its reason."""

    def __init__(self, listed: population.Listed) -> None:
        super().__init__(f"{len(listed.rejected):,} of the lines name no usable issue.")
        self.listed = listed


@dataclass(frozen=True)
class Sampling:
    """How to draw: the best results of a search, at random from all of them, or at random within each framework.

    `query` is the query string of a search; an empty one finds everything. `fresh`: without the issues of the
    project's other rounds.
    """

    kind: Literal["best", "random", "stratified"]
    size: int
    query: str = ""
    seed: str = ""
    fresh: bool = True


@transaction.atomic
def draw_sample(*, lead: Member, round_: Round, sampling: Sampling) -> Given:
    """Give a round that is being prepared a sample, a large one by a job.

    Raises RefusedError when nothing is found, and where a random sample has no seed.
    """
    _require_size(sampling.size)
    if sampling.kind != "best" and not sampling.seed.strip():
        raise RefusedError("A random sample needs a seed: any word will do; it is published with the results.")
    round_ = _drawable(lead, round_)
    urls, sample = _draw(sampling, round_)
    if not urls:
        raise RefusedError("This search finds no issue that could be drawn.")
    return give(lead=lead, round_=round_, urls=urls, sample=sample, population=sample["population"])


def _draw(sampling: Sampling, round_: Round) -> tuple[list[str], Sample]:
    """The addresses drawn, and how; the issues that the round has now may be drawn again."""
    taken = set()
    if sampling.fresh:
        taken = population.drawn_before(project_id=round_.project_id, other_than=round_)
    sample = Sample(
        kind=sampling.kind, size=sampling.size, query=sampling.query, seed=sampling.seed, fresh=sampling.fresh
    )
    if sampling.kind == "best":
        matches = population.best(query=sampling.query, size=sampling.size + len(taken))
    else:
        matches = population.matching(query=sampling.query)
    urls = [url for url in matches if url not in taken]
    sample["population"] = len(urls)
    if sampling.kind == "best":
        drawn = urls[: sampling.size]
    elif sampling.kind == "random":
        drawn = random_sample(urls, size=sampling.size, seed=sampling.seed)
    else:
        strata = population.by_framework(urls=urls)
        sizes = {name: len(stratum) for name, stratum in strata.items()}
        shares = proportional(sizes, sampling.size)
        drawn = stratified_sample(strata, size=sampling.size, seed=sampling.seed)
        sample["strata"] = {name: [shares[name], size] for name, size in sizes.items()}
    sample["drawn"] = len(drawn)
    return drawn, sample


@transaction.atomic
def fill_from_screening(*, lead: Member, round_: Round, screening: Round) -> Given:
    """Give a round the issues that a closed screening round kept, in that round's order, many of them by a job."""
    round_ = _drawable(lead, round_)
    screening = locked_round(lead, screening, Round.State.CLOSED)
    if screening.kind != Round.Kind.SCREENING:
        raise RefusedError(f"The round “{screening.name}” is not a screening round.")
    screened = all_screened(round_=screening)
    if not screened.kept:
        raise RefusedError(f"The round “{screening.name}” excluded every issue.")
    sample = Sample(kind="screened", round=screening.number, kept=len(screened.kept), excluded=len(screened.excluded))
    urls = [item.issue.url for item in screened.kept]
    return give(lead=lead, round_=round_, urls=urls, sample=sample, population=len(urls))


@transaction.atomic
def fill_from_list(*, lead: Member, round_: Round, text: str, leave_out: bool = False) -> Given:
    """Give a round the issues whose addresses are listed, one a line, many of them by a job.

    Raises RejectedLinesError where lines stand for no issue, unless they are to be left out.
    """
    round_ = _drawable(lead, round_)
    listed = population.listed(lines=text.splitlines())
    if listed.rejected and not leave_out:
        raise RejectedLinesError(listed)
    if not listed.urls:
        raise RefusedError("The list names no issue of the knowledge base.")
    _require_size(len(listed.urls))
    sample = Sample(kind="urls", drawn=len(listed.urls), left_out=len(listed.rejected))
    return give(lead=lead, round_=round_, urls=listed.urls, sample=sample, population=len(listed.urls))


@transaction.atomic
def empty_round(*, lead: Member, round_: Round) -> None:
    """Remove a draft round's sample."""
    round_ = _drawable(lead, round_)
    round_.items.all().delete()
    Round.objects.filter(pk=round_.pk).update(sample={})


def _require_size(size: int) -> None:
    if not 1 <= size <= MOST_DRAWN:
        raise RefusedError(f"A sample has at least one issue and at most {MOST_DRAWN:,}.")


def _drawable(lead: Member, round_: Round) -> Round:
    round_ = locked_round(lead, round_, Round.State.DRAFT)
    if round_.kind == Round.Kind.RECHECK:
        raise RefusedError("A recheck's issues are those affected by a codebook change: they cannot be changed.")
    if is_being_filled(round_=round_):
        raise RefusedError("The round's issues are being drawn. Wait until that is done.")
    return round_
