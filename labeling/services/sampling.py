"""Draws a round's sample and writes down how, so that anybody can draw it again."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from django.db import transaction

from labeling.models import Member, Round
from labeling.refusals import RefusedError
from labeling.samples import proportional, random_sample, stratified_sample
from labeling.selectors import population
from labeling.services.rounds import fill_round


@dataclass(frozen=True)
class Sampling:
    """How to draw: the best of a search, at random from all it finds, or the same with each framework's share.

    `query` is the query string of a search; an empty one finds everything. `fresh`: without the issues of the
    project's other rounds.
    """

    kind: Literal["best", "random", "stratified"]
    size: int
    query: str = ""
    seed: str = ""
    fresh: bool = True


@transaction.atomic
def draw_sample(*, lead: Member, round_: Round, sampling: Sampling) -> int:
    """Give a round that is being prepared a sample; returns how many issues there were to draw from.

    Raises RefusedError when nothing is found, and where a random sample has no seed.
    """
    if sampling.size < 1:
        raise RefusedError("A sample has at least one issue.")
    if sampling.kind != "best" and not sampling.seed.strip():
        raise RefusedError("A random sample needs a seed: any word will do, and it is published with the results.")
    round_.items.all().delete()
    drawn, known = _draw(sampling, project_id=lead.project_id)
    if not drawn:
        raise RefusedError("This search finds no issue that could be drawn.")
    fill_round(lead=lead, round_=round_, urls=drawn, sample=asdict(sampling) | known | {"drawn": len(drawn)})
    return int(known["population"])


def _draw(sampling: Sampling, *, project_id: int) -> tuple[list[str], dict[str, Any]]:
    """The sample's addresses, and what there was to draw from."""
    taken = population.drawn_before(project_id=project_id) if sampling.fresh else set()
    if sampling.kind == "best":
        found = population.best(query=sampling.query, size=sampling.size + len(taken))
        left = [url for url in found if url not in taken]
        return left[: sampling.size], {"population": len(left)}
    urls = [url for url in population.matching(query=sampling.query) if url not in taken]
    if sampling.kind == "random":
        return random_sample(urls, size=sampling.size, seed=sampling.seed), {"population": len(urls)}
    strata = population.by_framework(urls=urls)
    sizes = {name: len(some) for name, some in strata.items()}
    shares = proportional(sizes, sampling.size)
    drawn = stratified_sample(strata, size=sampling.size, seed=sampling.seed)
    return drawn, {"population": len(urls), "strata": {name: [shares[name], sizes[name]] for name in sizes}}
