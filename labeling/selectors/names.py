"""The names of people on a project's pages.

Members see one another's names. Adjudicators, who judge answers and not people, see pseudonyms; so does everybody for
people who have left.
"""

from labeling.models import Member, Role


def name_of(*, reader: Member, other: Member) -> str:
    """The name that the reader sees. `user` of `other` should be selected."""
    if other.pk == reader.pk:
        return "You"
    if reader.has(Role.ADJUDICATOR) or not other.is_active:
        return other.pseudonym
    return other.called
