"""The people of a project: a person's memberships, the whole team, and one of its members."""

from django.contrib.auth.models import User
from django.db.models import QuerySet

from labeling.models import Member, Role
from labeling.selectors.invitations import open_invitations


def memberships(*, user: User) -> QuerySet[Member]:
    """The memberships that the person has not left, by the project's name."""
    members = Member.objects.filter(user=user, left_at=None).select_related("project")
    return members.order_by("project__name", "pk")


def is_member(*, user: User, project_id: int) -> bool:
    """Whether the person is in the project and has not left it."""
    return Member.objects.filter(user=user, project=project_id, left_at=None).exists()


def team(*, member: Member) -> QuerySet[Member]:
    """Everybody who is or was in the member's project, in the order they joined."""
    return Member.objects.filter(project=member.project_id).select_related("user").order_by("joined_at", "pk")


def teammate(*, member: Member, pk: int, may_have_left: bool = False) -> Member:
    """Another member of the project. Raises Member.DoesNotExist, unless `may_have_left` for those who left, too."""
    people = Member.objects.select_related("user", "project").filter(project=member.project_id)
    if not may_have_left:
        people = people.filter(left_at=None)
    return people.get(pk=pk)


def annotators(*, member: Member) -> QuerySet[Member]:
    """The annotators of the member's project."""
    people = Member.objects.filter(project=member.project_id, left_at=None, roles__contains=[Role.ANNOTATOR])
    return people.select_related("user").order_by("pk")


def lacks_annotators(*, lead: Member) -> bool:
    """Whether the project has no annotators, and nobody can join by an invitation."""
    return not annotators(member=lead).exists() and not open_invitations(lead=lead).exists()
