"""The files with votes that came into a project, without their contents."""

from django.db.models import QuerySet

from labeling.models import Member, VoteImport


def vote_imports(*, member: Member) -> QuerySet[VoteImport]:
    """The files of the member's project, the newest first."""
    files = VoteImport.objects.filter(project=member.project_id).defer("content")
    return files.select_related("round", "codebook").order_by("-created_at")


def vote_import(*, member: Member, pk: int) -> VoteImport:
    """One of these files. Raises VoteImport.DoesNotExist."""
    return vote_imports(member=member).get(pk=pk)
