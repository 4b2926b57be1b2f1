"""Finding issues by their public ids, present and former ones."""

from kb.core.public_ids import public_id_of
from kb.models import FormerId, Issue


def issue_by_public_id(text: str) -> Issue | None:
    """The issue with this id, or that had it, however the id is spelled; None where there is none."""
    public_id = public_id_of(text)
    if public_id is None:
        return None
    issues = Issue.objects.select_related("repository__framework")
    return issues.filter(public_id=public_id).first() or issues.filter(former_ids__public_id=public_id).first()


def was_withdrawn(text: str) -> bool:
    """Whether the id was given once to an issue that is here no more."""
    return FormerId.objects.filter(public_id=public_id_of(text) or "", issue=None).exists()


def number_of_issue(text: str) -> int:
    """The number in this database of the issue that either of its ids names; 0, which none has, where it names none."""
    if text.isdecimal():
        return int(text)
    issue = issue_by_public_id(text)
    return issue.pk if issue else 0
