"""The names of people on a project's pages.

Members see one another's names. Adjudicators, who judge answers and not people, see pseudonyms; so does everybody for
people who have left.
"""

from collections.abc import Collection

from labeling.models import Member, Role


def name_of(*, reader: Member, other: Member) -> str:
    """The name that the reader sees. `user` of `other` should be selected."""
    if other.pk == reader.pk:
        return "You"
    if reader.has(Role.ADJUDICATOR) or not other.is_active:
        return other.pseudonym
    return other.called


def names_by_id(*, reader: Member, ids: Collection[int]) -> dict[int, str]:
    """Membership id -> the name that the reader sees, in the order of joining; of the reader's project only."""
    members = Member.objects.filter(pk__in=ids, project=reader.project_id).select_related("user").order_by("pk")
    return {member.pk: name_of(reader=reader, other=member) for member in members}
