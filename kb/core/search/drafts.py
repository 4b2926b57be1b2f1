"""How a draft becomes a search: its title, the lines that tell what went wrong, and its first words."""

from kb.core.search.sections import split

# What a report says first is what it is about; later words blur it.
FIRST_WORDS = 24
# Of many telling lines, the last ones: there the error itself stands, behind its way there.
TELLING_LINES = 3


def draft_text(title: str, body: str) -> str:
    """What is searched for a draft: the title, telling lines, the first words."""
    sections = split(body)
    first = " ".join(sections.prose.split()[:FIRST_WORDS])
    lines = dict.fromkeys((title.strip(), *sections.telling[-TELLING_LINES:], first))
    return "\n".join(line for line in lines if line)
