"""Known issues for error lines, from the database and the index in use. How they are compared is `kb.core.search`."""

from collections.abc import Collection, Mapping

from kb.core.search.backend import Backend
from kb.core.search.error_lines import StoredTexts
from kb.core.search.error_matches import ErrorMatch, ErrorQuery
from kb.core.search.error_matches import error_matches as matches_among
from kb.core.search.speech import Speech
from kb.core.setups.known_faults import KnownFault
from kb.models import Issue
from kb.search import backends
from kb.search.names import spoken
from kb.selectors.affected import known


class StoredIssues:
    """All issues of the database, as comparisons ask for them."""

    @property
    def engine(self) -> Backend | None:
        """The engine that the settings choose; Postgres alone weighs no words soon enough."""
        return backends.current() if backends.has_index() else None

    def speech(self) -> Speech:
        """What names frameworks, as the database has it."""
        return spoken()

    def faults(self) -> Mapping[str, KnownFault]:
        """The faults whose versions or conditions are known."""
        return known().by_url

    def texts(self, ids: Collection[int]) -> Mapping[int, StoredTexts]:
        """What is kept of these issues."""
        rows = Issue.objects.filter(pk__in=ids).values_list(
            "pk", "recognise", "also_seen", "resolution", "body", "heading", "title", "summary"
        )
        return {
            pk: StoredTexts(tuple(lines), tuple(faces), resolution, body, (own, title), summary)
            for pk, lines, faces, resolution, body, own, title, summary in rows
        }


def error_matches(query: ErrorQuery, limit: int) -> list[ErrorMatch]:
    """The issues that are like what failed, the nearest first; none where nothing is near or there is no index."""
    return matches_among(query, limit, StoredIssues())
