"""What labeling projects published: their answers as they stand."""

from kb.models import Label, Provenance, Source


def published_answers(*, source: Source) -> dict[tuple[int, int], tuple[int, ...]]:
    """(issue, axis) -> the nodes that the source holds there, none where it says that the report does not say."""
    pairs = Provenance.objects.filter(source=source).order_by().values_list("issue", "axis")
    answers: dict[tuple[int, int], tuple[int, ...]] = dict.fromkeys(pairs, ())
    labels = Label.objects.filter(source=source).order_by("node").values_list("issue", "axis", "node")
    for issue, axis, node in labels:
        answers[issue, axis] = (*answers.get((issue, axis), ()), node)
    return answers
