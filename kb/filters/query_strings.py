"""A query string with one text for each parameter: `a=1&a=2` says the same as `a=1,2` where several values may be.

Pages, API and stored searches are all read through here, so that a repeat is never dropped in silence.
"""

from collections.abc import Collection

from django.http import QueryDict

from kb.core.search.filter_values import join_values, split_values

Faults = dict[str, list[str]]
TWICE = "Given more than once, and only one value can be used: leave the others out."


def one_text_each(
    params: QueryDict, several: Collection[str], as_sent: Collection[str] = ()
) -> tuple[QueryDict, Faults]:
    """The parameters, those in `several` joined with commas; and what is wrong with the others that are repeated.

    Those in `as_sent` stay as they are.
    """
    repeated = {name: texts for name, texts in params.lists() if len(texts) > 1 and name not in as_sent}
    if not repeated:
        return params, {}
    tidy = params.copy()
    for name, texts in repeated.items():
        tidy[name] = joined(texts) if name in several else texts[-1]
    return tidy, {name: [TWICE] for name in repeated if name not in several}


def joined(texts: Collection[str]) -> str:
    """The values of all the texts in one; an open quotation mark in one text does not reach into the next."""
    return join_values(value for text in texts for value in split_values(text))
