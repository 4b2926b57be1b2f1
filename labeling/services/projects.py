"""Projects: founding one with its codebook, its name and question, and the archive."""

from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from kb.models import Axis
from labeling.models import AuditEntry, Member, Project, Role, Round
from labeling.models.projects import RESERVED_SLUGS
from labeling.questions import Question
from labeling.refusals import RefusedError
from labeling.services import audit
from labeling.services.codebooks import adopt_axes
from labeling.services.people import found_project, require

MOST_SLUG = 60


@transaction.atomic
def start_project(
    *, user: User, name: str, question: str, axes: Sequence[Axis], questions: Sequence[Question] = (), slug: str = ""
) -> Member:
    """Found a project with its codebook, of house axes and of `questions` of its own. Returns its lead.

    Without a short name, one is made from the name.
    """
    lead = found_project(user=user, slug=slug or suggested_slug(name=name), name=name, question=question)
    adopt_axes(lead=lead, axes=axes, questions=questions)
    return lead


def suggested_slug(*, name: str) -> str:
    """A short name that is free. Raises RefusedError where the name has no letter or digit that addresses can hold."""
    plain = slugify(name)[:MOST_SLUG].strip("-")
    if not plain:
        raise RefusedError("No short name can be derived from this name: enter one, in Latin letters and digits.")
    taken = set(Project.objects.filter(slug__startswith=plain[: MOST_SLUG - 5]).values_list("slug", flat=True))
    slug, number = plain, 1
    while slug in taken or slug in RESERVED_SLUGS:
        number += 1
        slug = f"{plain[: MOST_SLUG - 5]}-{number}"
    return slug


@transaction.atomic
def describe_project(*, lead: Member, name: str, question: str, shows_comments: bool = False) -> None:
    """Change the name and question, and whether its next rounds show comments; the project's address stays."""
    require(lead, Role.LEAD)
    if not (name.strip() and question.strip()):
        raise RefusedError("A project has a name and a question.")
    Project.objects.filter(pk=lead.project_id).update(
        name=name.strip(), question=question.strip(), shows_comments=shows_comments
    )


@transaction.atomic
def archive_project(*, lead: Member) -> None:
    """Archive the project: everything can be read, no round opens and nobody joins.

    Raises RefusedError while a round is open.
    """
    require(lead, Role.LEAD)
    Project.objects.select_for_update().get(pk=lead.project_id)
    if open_round := Round.objects.filter(project=lead.project_id, state=Round.State.OPEN).first():
        raise RefusedError(f"The round “{open_round.name}” is open for votes. Close it first.")
    if Project.objects.filter(pk=lead.project_id, archived_at=None).update(archived_at=timezone.now()):
        audit.record(by=lead, kind=AuditEntry.Kind.ARCHIVED)


@transaction.atomic
def unarchive_project(*, lead: Member) -> None:
    """Take the project out of the archive."""
    require(lead, Role.LEAD)
    if Project.objects.filter(pk=lead.project_id).exclude(archived_at=None).update(archived_at=None):
        audit.record(by=lead, kind=AuditEntry.Kind.UNARCHIVED)
