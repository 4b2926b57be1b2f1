"""The audit log of a project, as a page and as CSV: for its leads, and for the site's staff."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from kb.exports.tables import csv_lines
from kb.http.downloads import streamed
from kb.web.parameters import chosen
from labeling.models import AuditEntry, Member, Project, Role
from labeling.refusals import missing_as_404
from labeling.selectors import audit
from labeling.selectors.names import name_of
from labeling.selectors.oversight import project_of
from labeling.web.access import Context, page_context, project_page
from labeling.web.oversight import staff_page

PAGE = 100
COLUMNS = ("time", "who", "what", "whom", "round", "round name", "detail")


@dataclass(frozen=True)
class Line:
    """An entry with its people under the names that the reader sees."""

    entry: AuditEntry
    who: str
    whom: str


@project_page(Role.LEAD)
def log(request: HttpRequest, member: Member) -> HttpResponseBase:
    """The log of one's own project."""
    return _log(request, member.project, member, page_context(member, "settings"))


@require_safe
@staff_page
def staff_log(request: HttpRequest, _staff: User, slug: str) -> HttpResponseBase:
    """The log of any project."""
    with missing_as_404():
        project = project_of(slug=slug)
    return _log(request, project, None, {"row": project})


def _log(request: HttpRequest, project: Project, reader: Member | None, context: Context) -> HttpResponseBase:
    people = [(str(member.pk), _name(reader, member)) for member in audit.people(project_id=project.pk)]
    kind = chosen(request.GET, "kind", AuditEntry.Kind.choices, noun="kind")
    person = chosen(request.GET, "person", people, noun="person")
    rows = audit.entries(project_id=project.pk, kind=kind, member=int(person) if person else None)
    if chosen(request.GET, "format", [("csv", "CSV")], noun="format") == "csv":
        lines = csv_lines(_csv_rows([_line(reader, row) for row in rows]))
        return streamed(f"{project.slug}-log.csv", lines)
    page = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    context |= {
        "lines": [_line(reader, row) for row in page],
        "kinds": AuditEntry.Kind.choices,
        "people": people,
        "kind": kind,
        "person": person,
        "page": page,
        "page_numbers": page.paginator.get_elided_page_range(page.number),
    }
    answer: HttpResponse = render(request, "labeling/audit.html", context)
    return answer


def _line(reader: Member | None, entry: AuditEntry) -> Line:
    who = _name(reader, entry.member) if entry.member else "The site's staff"
    return Line(entry, who, _name(reader, entry.about) if entry.about else "")


def _name(reader: Member | None, member: Member) -> str:
    """The name as others in the project see it: a log names its reader, too; staff see what the team does."""
    return name_of(reader=reader, other=member) if reader and reader.pk != member.pk else member.called


def _csv_rows(lines: list[Line]) -> Iterator[list[str | int | None]]:
    yield list(COLUMNS)
    for line in lines:
        entry = line.entry
        moment = entry.created_at.isoformat(timespec="seconds")
        yield [
            moment, line.who, entry.get_kind_display(), line.whom, entry.round_number, entry.round_name, entry.detail,
        ]  # fmt: skip
