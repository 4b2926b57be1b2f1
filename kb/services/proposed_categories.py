"""Keeping categories that readers miss, without secrets and without who sent them."""

from kb.core.secrets import mask
from kb.models import ProposedCategory

# From one network in a day, and kept in all that nobody has seen: a flood is no proposal.
MOST_A_DAY, MOST_UNSEEN = 10, 2_000


class ProposalsFullError(Exception):
    """So many proposals wait for staff that no more are taken."""


def propose_category(*, group: str, name: str, means: str) -> ProposedCategory:
    """Keep a proposal; the same one again is not kept twice. Raises `ProposalsFullError`."""
    name, means = (" ".join(mask(text).text.split()) for text in (name, means))
    waiting = ProposedCategory.objects.filter(is_seen=False)
    same = waiting.filter(group=group, name__iexact=name, means=means).first()
    if same is not None:
        return same
    if waiting.count() >= MOST_UNSEEN:
        raise ProposalsFullError
    return ProposedCategory.objects.create(
        group=group,
        name=name[: ProposedCategory._meta.get_field("name").max_length],
        means=means[: ProposedCategory._meta.get_field("means").max_length],
    )
