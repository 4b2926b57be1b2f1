"""Draws a round's sample and records how, so that it can be drawn again."""

from django.db import transaction

from labeling.models import Member, Round
from labeling.refusals import RefusedError
from labeling.samples import Sample
from labeling.selectors import population
from labeling.selectors.draws import Sampling, draw
from labeling.selectors.own_items import draw_own
from labeling.selectors.rounds import is_being_filled
from labeling.selectors.screening import all_screened, waiting_discussions
from labeling.services.fill import Given, give
from labeling.services.rounds import locked_round

MOST_DRAWN = 10_000
NO_SEED = "A random sample needs a seed: any word will do; it is published with the results."


class RejectedLinesError(RefusedError):
    """A list of addresses has lines that stand for no issue; `listed` has them, each with its reason."""

    def __init__(self, listed: population.Listed) -> None:
        super().__init__(f"{len(listed.rejected):,} of the lines name no usable issue.")
        self.listed = listed


@transaction.atomic
def draw_sample(*, lead: Member, round_: Round, sampling: Sampling) -> Given:
    """Give a round that is being prepared a sample, a large one by a job.

    Raises RefusedError when nothing is found, and where a random sample has no seed.
    """
    _require_size(sampling.size)
    if sampling.kind != "best" and not sampling.seed.strip():
        raise RefusedError(NO_SEED)
    round_ = _drawable(lead, round_)
    drawn = draw(project=round_.project, sampling=sampling, other_than=round_)
    if not drawn.urls:
        raise RefusedError("This search finds no issue that could be drawn.")
    return give(lead=lead, round_=round_, urls=drawn.urls, sample=drawn.sample, population=drawn.sample["population"])


@transaction.atomic
def fill_from_screening(*, lead: Member, round_: Round, screening: Round) -> Given:
    """Give a round the issues that a closed screening round kept, in that round's order, many of them by a job."""
    round_ = _drawable(lead, round_)
    screening = locked_round(lead, screening, Round.State.CLOSED)
    if screening.kind != Round.Kind.SCREENING:
        raise RefusedError(f"The round “{screening.name}” is not a screening round.")
    if waiting := waiting_discussions(round_=screening):
        raise RefusedError(
            f"Discussions of “{screening.name}” are not over: {waiting:,} open. Wait for the answers, or end them."
        )
    screened = all_screened(round_=screening)
    if not screened.kept:
        raise RefusedError(f"The round “{screening.name}” excluded every issue.")
    urls = [item.subject.url for item in screened.kept]
    unmirrored = set() if round_.project.is_demo else population.reports(urls=urls).unmirrored
    urls = [url for url in urls if url not in unmirrored]
    if not urls:
        raise RefusedError("The threads of the issues that it kept are not mirrored here: there is no report to read.")
    sample = Sample(
        kind="screened", round=screening.number, kept=len(screened.kept), excluded=len(screened.excluded),
        unmirrored=len(unmirrored),
    )  # fmt: skip
    return give(lead=lead, round_=round_, urls=urls, sample=sample, population=len(urls))


@transaction.atomic
def fill_from_list(*, lead: Member, round_: Round, text: str, leave_out: bool = False) -> Given:
    """Give a round the issues whose addresses are listed, one a line, many of them by a job.

    Raises RejectedLinesError where lines stand for no issue, unless they are to be left out.
    """
    round_ = _drawable(lead, round_)
    listed = population.listed(project=round_.project, lines=text.splitlines())
    if listed.rejected and not leave_out:
        raise RejectedLinesError(listed)
    if not listed.urls:
        raise RefusedError("The list names no issue of the knowledge base, and no item of the project.")
    _require_size(len(listed.urls))
    sample = Sample(kind="urls", drawn=len(listed.urls), left_out=len(listed.rejected))
    return give(lead=lead, round_=round_, urls=listed.urls, sample=sample, population=len(listed.urls))


@transaction.atomic
def fill_from_own(*, lead: Member, round_: Round, size: int | None, seed: str = "", fresh: bool = True) -> Given:
    """Give a round the project's own items, many of them by a job: `size` of them at random, or all.

    Raises RefusedError where there is none, and where a random sample has no seed.
    """
    if size is not None and not seed.strip():
        raise RefusedError(NO_SEED)
    round_ = _drawable(lead, round_)
    drawn = draw_own(project=round_.project, size=size, seed=seed.strip(), fresh=fresh, other_than=round_)
    if not drawn.urls:
        raise RefusedError("The project has no items of its own that could be taken. Upload some first.")
    return give(lead=lead, round_=round_, urls=drawn.urls, sample=drawn.sample, population=drawn.sample["population"])


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
