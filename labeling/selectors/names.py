"""How people of a project are called on its pages.

Members know one another by name. Who adjudicates judges answers, not people, and reads pseudonyms; so does everybody
of people who have left.
"""

from labeling.models import Member, Role


def name_of(*, reader: Member, other: Member) -> str:
    """The name that the reader sees. `other` needs its `user` at hand."""
    if other.pk == reader.pk:
        return "You"
    if reader.has(Role.ADJUDICATOR) or not other.is_active:
        return other.pseudonym
    return other.called
