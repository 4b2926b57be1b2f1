"""What a release's `METHOD.md` says about what annotators could have seen besides the report."""

from labeling.models import Item
from labeling.releases.state import State


def paragraph(state: State) -> str:
    """The paragraph; empty where all votes were cast elsewhere."""
    rounds = [each.round for each in state.rounds if not each.round.is_from_file]
    if not rounds:
        return ""
    text = (
        "**What annotators could have seen.** The page on which they voted showed the report as it was frozen, its "
        "labels and dates on its host, and the fixes that were linked to it. It showed nothing of what Faultbook says "
        "of the issue, and offered no search. Faultbook's own pages are public, and the report was linked on its host: "
        "nothing kept annotators from reading there."
    )
    described = Item.objects.filter(round__in=rounds, snapshot__content__in_our_words=True).count()
    if described:
        text += (
            f" Issues whose report was not mirrored: {described:,}. There annotators read Faultbook's own description "
            "of the fault in its place, so that these votes are not independent of it."
        )
    own = Item.objects.filter(round__in=rounds, issue=None).count()
    if own:
        text += (
            f" Items of the project's own: {own:,}. Of these the page showed id, title and text, and a link where they "
            "have an address on the web."
        )
    return text
