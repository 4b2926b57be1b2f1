"""What an assisted ballot shows: stored when its place is reserved, so that page and program show the same."""

from labeling.ballots import Choice, choice_content
from labeling.models import CodebookNode, Member, ReaderAnswer, Round, Slot, Suggestion


def show_suggestion(*, slot: Slot, member: Member) -> None:
    """Store what the member is shown on an assisted slot from now on, once; nothing where the reader has no answer.

    Categories that the round's codebook does not have are left out.
    """
    if Suggestion.objects.filter(item=slot.item_id, member=member).exists():
        return
    answers = ReaderAnswer.objects.filter(item=slot.item_id, reader__assist_percent__isnull=False)
    answers = answers.select_related("axis", "reader")
    codebook = Round.objects.filter(items=slot.item_id).values("codebook")
    entries = CodebookNode.objects.filter(codebook__in=codebook)
    known = set(entries.values_list("node__axis", "node__code"))
    content, reader = {}, None
    for answer in answers:
        codes = tuple(code for code in answer.codes if (answer.axis_id, code) in known)
        choice = Choice(codes, answer.is_undecidable, answer.text)
        if choice != Choice():
            content[answer.axis.code], reader = choice_content(choice), answer.reader
    if reader is not None:
        Suggestion.objects.create(item_id=slot.item_id, member=member, reader=reader, content=content)
