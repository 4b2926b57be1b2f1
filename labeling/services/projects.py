"""Projects: starting one whole, what it is called and asks, and the archive."""

from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from kb.models import Axis
from labeling.models import Member, Project, Role, Round
from labeling.models.projects import RESERVED_SLUGS
from labeling.refusals import RefusedError
from labeling.services.codebooks import adopt_axes
from labeling.services.people import found_project, require

MOST_SLUG = 60


@transaction.atomic
def start_project(*, user: User, name: str, question: str, axes: Sequence[Axis], slug: str = "") -> Member:
    """Found a project with its codebook; without a short name, one is made from the name. Returns its lead."""
    lead = found_project(user=user, slug=slug or suggested_slug(name=name), name=name, question=question)
    adopt_axes(lead=lead, axes=axes)
    return lead


def suggested_slug(*, name: str) -> str:
    """A short name that is free. Raises RefusedError where the name has no letter or digit that addresses can hold."""
    plain = slugify(name)[:MOST_SLUG].strip("-")
    if not plain:
        raise RefusedError("A short name cannot be made from this name: write one, in Latin letters and digits.")
    taken = set(Project.objects.filter(slug__startswith=plain[: MOST_SLUG - 5]).values_list("slug", flat=True))
    candidates = (plain, *(f"{plain[: MOST_SLUG - 5]}-{number}" for number in range(2, len(taken) + 4)))
    return next(slug for slug in candidates if slug not in taken and slug not in RESERVED_SLUGS)


@transaction.atomic
def describe_project(*, lead: Member, name: str, question: str, shows_comments: bool = False) -> None:
    """Give the project another name or question, and say what its next rounds show; its address stays."""
    require(lead, Role.LEAD)
    if not (name.strip() and question.strip()):
        raise RefusedError("A project has a name and a question.")
    Project.objects.filter(pk=lead.project_id).update(
        name=name.strip(), question=question.strip(), shows_comments=shows_comments
    )


@transaction.atomic
def archive_project(*, lead: Member) -> None:
    """Put the project aside: everything can be read, no round opens and nobody joins. Not while a round is open."""
    require(lead, Role.LEAD)
    Project.objects.select_for_update().get(pk=lead.project_id)
    if still := Round.objects.filter(project=lead.project_id, state=Round.State.OPEN).first():
        raise RefusedError(f"The round “{still.name}” is open for votes. Close it first.")
    Project.objects.filter(pk=lead.project_id, archived_at=None).update(archived_at=timezone.now())


@transaction.atomic
def unarchive_project(*, lead: Member) -> None:
    """Take the project out of the archive."""
    require(lead, Role.LEAD)
    Project.objects.filter(pk=lead.project_id).update(archived_at=None)
