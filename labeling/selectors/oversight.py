"""What staff see of all projects: leads, counts, publications and waiting categories; no vote and no voter."""

from dataclasses import dataclass

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery

from kb.models import Provenance
from labeling.models import CategoryRequest, Decision, Job, Member, NodeVersion, Project, Role, StaffAction, Vote


class SubqueryCount(Subquery):
    """The number of rows of a subquery."""

    template = "(SELECT count(*) FROM (%(subquery)s) counted)"
    output_field = IntegerField()


@dataclass(frozen=True)
class WaitingCategory:
    """A category that waits for a curator, with its wording and the number of issues it was decided on."""

    request: CategoryRequest
    version: NodeVersion
    issues: int


def all_projects() -> QuerySet[Project]:
    """Every project with leads, votes from here and files, published answers, the staff's last act; newest first."""
    mine = Member.objects.filter(project=OuterRef("pk"), roles__contains=[Role.LEAD], left_at=None).order_by()
    leads = mine.values("project").annotate(names=ArrayAgg("user__username", order_by=["user__username"]))
    votes = Vote.objects.filter(item__round__project=OuterRef("pk"))
    answers = Provenance.objects.filter(source=OuterRef("publication__source"))
    acted = StaffAction.objects.filter(
        project=OuterRef("pk"), kind__in=(StaffAction.Kind.WITHDRAW, StaffAction.Kind.ALLOW)
    )
    return (
        Project.objects.select_related("publication")
        .annotate(
            leads=Subquery(leads.values("names")),
            votes_here=SubqueryCount(votes.filter(item__round__vote_import=None)),
            votes_from_files=SubqueryCount(votes.exclude(item__round__vote_import=None)),
            published=SubqueryCount(answers),
            last_action=Subquery(acted.values("kind")[:1]),
        )
        .order_by("-created_at", "-pk")
    )


def withdrawing(*, project_id: int) -> Job | None:
    """The newest job that withdraws the publication, done or not."""
    return Job.objects.filter(project=project_id, kind=Job.Kind.WITHDRAW).first()


def waiting_categories() -> list[WaitingCategory]:
    """The categories that wait for a curator, the oldest first; three statements."""
    waiting = CategoryRequest.objects.filter(state=CategoryRequest.State.WAITING)
    rows = list(waiting.select_related("node__axis__axis", "node__axis__project"))
    nodes = [row.node_id for row in rows]
    newest = NodeVersion.objects.filter(node__in=nodes).order_by("node_id", "-number").distinct("node_id")
    versions = {version.node_id: version for version in newest.select_related("parent")}
    decided = Decision.objects.filter(reopened_at=None, versions__node__in=nodes).order_by().values("versions__node")
    issues = dict(decided.annotate(n=Count("item__issue", distinct=True)).values_list("versions__node", "n"))
    return [WaitingCategory(row, versions[row.node_id], issues.get(row.node_id, 0)) for row in rows]


def project_of(*, slug: str) -> Project:
    """A project as in `all_projects`, by its short name. Raises Project.DoesNotExist."""
    return all_projects().get(slug=slug)


def staff_actions(*, project_id: int) -> QuerySet[StaffAction]:
    """What staff did to the project, with who did it."""
    return StaffAction.objects.filter(project=project_id).select_related("by")


def category_request(*, pk: int) -> CategoryRequest:
    """A category for the house codebook that a project asked for. Raises CategoryRequest.DoesNotExist."""
    return CategoryRequest.objects.get(pk=pk)
