"""The addresses that the URL conf knows, with the names of what they leave open."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.urls import URLPattern, URLResolver, get_resolver, reverse

AREAS = ("labeling/", "api/v1/labeling/")


@dataclass(frozen=True)
class Route:
    """An address of the URL conf."""

    name: str
    pattern: str
    parameters: frozenset[str]

    def path(self, values: Mapping[str, object]) -> str:
        """The address with these values; those it does not need are left out."""
        return reverse(self.name, kwargs={name: values[name] for name in self.parameters})


def all_routes() -> list[Route]:
    """Every address of the site."""
    return list(_walk(get_resolver().url_patterns, "", "", frozenset()))


def labeling_routes() -> list[Route]:
    """The addresses of labeling: its pages and its API."""
    return [one for one in all_routes() if one.pattern.startswith(AREAS)]


def _walk(
    patterns: Sequence[URLPattern | URLResolver], above: str, spaces: str, parameters: frozenset[str]
) -> Iterator[Route]:
    for one in patterns:
        here = above + str(one.pattern).removeprefix("^")
        open_here = parameters | set(one.pattern.converters) | set(one.pattern.regex.groupindex)
        if isinstance(one, URLResolver):
            space = f"{spaces}{one.namespace}:" if one.namespace else spaces
            yield from _walk(one.url_patterns, here, space, open_here)
        else:
            yield Route(f"{spaces}{one.name or ''}", here, open_here)
