"""Who labels a round, and who could: for the page where a lead changes it."""

from django.db.models import QuerySet

from labeling.models import Member, Role, Round
from labeling.selectors.rounds import annotators_of


def labels_with(*, round_: Round) -> bool:
    """Whether people were chosen for the round; else all annotators of the project label it."""
    return round_.annotators.exists()


def person_of(*, round_: Round, pk: int) -> Member:
    """Somebody who labels the round. Raises Member.DoesNotExist."""
    return annotators_of(round_=round_).get(pk=pk)


def others_in(*, round_: Round, person: Member) -> QuerySet[Member]:
    """Who labels the round besides the person."""
    return annotators_of(round_=round_).exclude(pk=person.pk)


def substitutes(*, round_: Round, person: Member) -> QuerySet[Member]:
    """The annotators of the project who could label in the person's place."""
    return _annotators(round_).exclude(pk=person.pk)


def could_join(*, round_: Round) -> QuerySet[Member]:
    """The annotators of the project who do not label the round."""
    return _annotators(round_).exclude(pk__in=annotators_of(round_=round_))


def _annotators(round_: Round) -> QuerySet[Member]:
    people = Member.objects.filter(project=round_.project_id, left_at=None, roles__contains=[Role.ANNOTATOR])
    return people.select_related("user").order_by("pk")
