"""Small builders of rows for tests: each makes one row with sensible defaults and says only what matters."""

import datetime as dt
import itertools
from typing import Any

from django.db.models import Model, QuerySet

from kb.models import (
    AffectedRange,
    Axis,
    Change,
    Fix,
    Framework,
    History,
    Host,
    Issue,
    Kind,
    Label,
    Node,
    OtherReport,
    Release,
    Repository,
    Scheme,
    Source,
    Study,
)

# Far from the numbers of real issues, which the starter records bear.
_serial = itertools.count(10_000_000)


def make_framework(slug: str = "deepspeed") -> Framework:
    """A framework; the same slug gives the same row."""
    return Framework.objects.get_or_create(slug=slug, defaults={"name": slug.title()})[0]


def make_repository(full_name: str = "deepspeedai/DeepSpeed", framework: str = "deepspeed") -> Repository:
    """A repository on GitHub and its framework; the same names give the same rows."""
    owner = make_framework(framework)
    found = Repository.objects.filter(host=Host.GITHUB, full_name=full_name).first()
    return found or Repository.objects.create(host=Host.GITHUB, full_name=full_name, framework=owner)


def make_issue(ref: str | int | None = None, *, repository: Repository | None = None, **fields: Any) -> Issue:
    """An issue of DeepSpeed unless another repository is given."""
    repository = repository or make_repository()
    ref = str(ref or next(_serial))
    url = f"{repository.url}/issues/{ref}"
    return Issue.objects.create(**{"repository": repository, "ref": ref, "url": url, "kind": Kind.ISSUE} | fields)


def make_other_report(record: Issue, report: Issue) -> OtherReport:
    """A record that answers another report besides its own."""
    return OtherReport.objects.create(record=record, repository=report.repository, ref=report.ref)


def make_issues(count: int, **fields: Any) -> list[Issue]:
    """Many of one repository, in one statement."""
    repository = make_repository()
    refs = [str(next(_serial)) for _ in range(count)]
    return Issue.objects.bulk_create(
        Issue(
            **{"repository": repository, "ref": ref, "url": f"{repository.url}/issues/{ref}", "kind": Kind.ISSUE}
            | fields
        )
        for ref in refs
    )


def make_study(slug: str = "a-study", **fields: Any) -> Study:
    """A study with the texts that every study must have."""
    defaults = {
        "code": slug.upper()[:12],
        "title": f"The study {slug}",
        "year": 2025,
        "url": "https://example.org/study",
        "licence": "none stated",
        "method": "Two coders.",
        "completeness": "Complete.",
        "trust_note": "Fair.",
    }
    return Study.objects.create(slug=slug, **defaults | fields)


def make_axis(code: str = "symptom", *, scheme: str = "house", study: Study | None = None) -> Axis:
    """An axis of the house codebook, or of a study's scheme."""
    row, _ = Scheme.objects.get_or_create(slug=scheme, defaults={"name": scheme, "version": "1", "study": study})
    return Axis.objects.get_or_create(scheme=row, code=code, defaults={"name": code.replace("_", " ").capitalize()})[0]


def make_node(code: str = "hang", *, axis: Axis | None = None, **fields: Any) -> Node:
    """A symptom node of the house codebook unless another axis is given."""
    defaults = {"name": code.replace("-", " ").capitalize(), "definition": f"What {code} means."}
    return Node.objects.create(axis=axis or make_axis(), code=code, **defaults | fields)


def make_source(slug: str = "curated", **fields: Any) -> Source:
    """The curated source unless told otherwise; the same slug gives the same row."""
    defaults = {"name": slug, "kind": Source.Kind.CURATED, "confidence": Source.Confidence.HIGH}
    return Source.objects.get_or_create(slug=slug, defaults=defaults | fields)[0]


def make_label(issue: Issue, node: Node, source: Source | None = None, **fields: Any) -> Label:
    """A curated label unless another source is given."""
    return Label.objects.create(issue=issue, node=node, axis=node.axis, source=source or make_source(), **fields)


def make_fix(number: int | None = None, **fields: Any) -> Fix:
    """A merged pull request."""
    url = f"https://github.com/deepspeedai/DeepSpeed/pull/{number or next(_serial)}"
    return Fix.objects.create(**{"url": url, "kind": Fix.Kind.PULL_REQUEST} | fields)


def make_history(*versions: str, repository: Repository | None = None) -> History:
    """A history that was read, of DeepSpeed unless another repository is given, with a release a month."""
    repository = repository or make_repository()
    for position, version in enumerate(versions):
        Release.objects.create(
            repository=repository,
            tag=f"v{version}",
            version=version,
            is_prerelease="rc" in version,
            released_on=dt.date(2024, 1, 1) + dt.timedelta(days=30 * position),
            commit=f"{position:040x}",
            position=position,
        )
    return History.objects.create(
        repository=repository,
        read_at=dt.datetime(2026, 1, 2, tzinfo=dt.UTC),
        refs_digest="0" * 64,
        newest_on=dt.date(2026, 1, 1),
        commits=1_000,
    )


def make_change(*, repository: Repository | None = None, **fields: Any) -> Change:
    """A fix that no release contains, unless told otherwise."""
    number = next(_serial)
    defaults = {
        "commit": f"{number:040x}",
        "pull_number": number,
        "title": "Fix a wait",
        "merged_at": dt.datetime(2024, 5, 1, tzinfo=dt.UTC),
        "files": 1,
        "additions": 2,
        "deletions": 1,
        "is_fix": True,
        "missing": [[None, None]],
    }
    return Change.objects.create(repository=repository or make_repository(), **defaults | fields)


def make_range(issue: Issue, package: str = "deepspeed", **bounds: str) -> AffectedRange:
    """A record's range; each version's evidence is git unless another certainty is given."""
    sure = {f"{name}_by": "git" for name in ("introduced", "fixed", "last_affected") if name in bounds}
    return AffectedRange.objects.create(issue=issue, package=package, **{"origin": "record"} | sure | bounds)


def events_of(row: Model) -> QuerySet[Any]:
    """The history that Postgres wrote of a row."""
    events: QuerySet[Any] = row.events.all()  # type: ignore[attr-defined]
    return events
