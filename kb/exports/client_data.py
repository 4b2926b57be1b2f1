"""The data file that clients answer from without a server: curated records in our own words, and what is counted.

Titles and bodies of mirrored reports are left out, also of what is indexed. `kb.core.knowledge` says what a file holds
and reads it. The same content gives the same bytes, whatever the numbers of rows.
"""

import datetime as dt
from base64 import b64encode
from collections.abc import Iterator, Mapping
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any

import orjson
from django.conf import settings
from django.db.models import Max, Prefetch, QuerySet
from django.urls import reverse

from kb.core.knowledge import file
from kb.core.knowledge.faults import fault_row
from kb.core.knowledge.shape import (
    FORMAT,
    LICENCE,
    About,
    CauseLinkFacts,
    ConfirmedSignature,
    FixFacts,
    Name,
    NodeFacts,
    PatternPlaybook,
    PatternUseFacts,
    Record,
)
from kb.core.search.lexicon import checksum
from kb.core.search.speech import KEYS
from kb.filters.issues import SHORTHANDS
from kb.models import CauseLink, Issue, KnownSignature, Label, Node, Playbook, Scheme
from kb.search.backends.fields import FIELDS
from kb.search.document_rows import read_rows
from kb.search.documents import make_documents
from kb.search.names import names, spoken
from kb.search.vocabulary import TRUSTED, Vocabulary
from kb.selectors.affected import known
from kb.selectors.fix_patterns import patterns_of_causes
from kb.selectors.playbooks import playbooks

CHUNK = 500


def write_client_data(path: Path) -> int:
    """Write the file; how many records it has."""
    places = {pk: place for place, pk in enumerate(_records().values_list("pk", flat=True), 1)}
    file.write(
        path,
        {
            "about": _about(len(places)),
            "fields": FIELDS,
            "shorthands": SHORTHANDS,
            "names": {key: _names(key) for key in ("framework", "repository", *KEYS)},
            "aliases": spoken().aliases,
            "nodes": map(_node, _house_nodes()),
            "cause_links": _cause_links(),
            "pattern_uses": _pattern_uses(),
            "playbooks": map(_playbook, playbooks()),
            "confirmed": _confirmed(places),
            "without_history": sorted(known().without_history),
            "faults": _fault_rows(),
            "records": _record_rows(places),
            "documents": _document_rows(places),
        },
    )
    return len(places)


def _records() -> QuerySet[Issue]:
    """What is described in our own words, in an order that no database decides."""
    return Issue.objects.true_issues().exclude(summary="").exclude(heading="").order_by("url")


def _about(records: int) -> About:
    site = str(settings.SITE_URL).rstrip("/")
    read_on = _records().aggregate(day=Max("read_on"))["day"]
    return About(
        format=FORMAT,
        codebook=Scheme.objects.get(study=None).version,
        as_of=read_on.isoformat() if read_on else "",
        # An address that only this machine reaches is of no use elsewhere.
        server=site if site.startswith("https://") else "",
        licence=LICENCE,
        records=records,
        lexicon=checksum(),
        pages={"search": reverse("search"), "fault-playbook": reverse("fault-playbook", args=["SLUG"])},
    )


def _names(key: str) -> list[Name]:
    return [Name(each.value, each.name, each.aliases) for each in names().stored[key].values]


def _house_nodes() -> QuerySet[Node]:
    active = Node.objects.house().filter(status=Node.Status.ACTIVE)
    return active.select_related("axis__scheme", "parent").order_by("axis__position", "position")


def _node(node: Node) -> NodeFacts:
    parent = node.parent.code if node.parent else ""
    return NodeFacts(node.axis.code, node.code, node.name, parent, node.definition, node.get_absolute_url())


def _chunks(places: Mapping[int, int]) -> Iterator[list[int]]:
    keys = iter(places)
    while chunk := list(islice(keys, CHUNK)):
        yield chunk


def _record_rows(places: Mapping[int, int]) -> Iterator[Record]:
    labels = Label.objects.filter(source__kind__in=TRUSTED, axis__scheme__study=None).select_related("axis", "node")
    labelled = Prefetch("labels", labels.order_by("axis__position", "node__position"), to_attr="trusted_labels")
    for chunk in _chunks(places):
        issues = _records().filter(pk__in=chunk).defer("title", "body").select_related("repository__framework")
        for issue in issues.prefetch_related(labelled, "fixes"):
            yield _record(issue, places[issue.pk])


def _record(issue: Issue, place: int) -> Record:
    labels: dict[str, tuple[str, ...]] = {}
    for label in issue.trusted_labels:  # type: ignore[attr-defined]
        codes = labels.get(label.axis.code, ())
        labels[label.axis.code] = tuple(dict.fromkeys((*codes, label.node.code)))
    return Record(
        id=place,
        public_id=issue.public_id,
        url=issue.url,
        page=issue.get_absolute_url(),
        name=issue.short_name,
        title=issue.heading,
        framework=issue.repository.framework.slug,
        state=issue.state,
        opened_on=_day(issue.opened_at),
        closed_on=_day(issue.closed_at),
        read_on=_day(issue.read_on),
        summary=issue.summary,
        fix_line=issue.fix_line,
        snippet=issue.snippet,
        resolution=issue.resolution,
        workaround=issue.workaround,
        affected_versions=tuple(issue.affected_versions),
        fixed_version=issue.fixed_version,
        affects_when=issue.affects_when,
        certainty=issue.certainty,
        severity=issue.severity,
        recognise=tuple(issue.recognise),
        also_seen=tuple(issue.also_seen),
        labels=labels,
        fixes=tuple(FixFacts(fix.url, fix.description, _day(fix.merged_on)) for fix in issue.fixes.all()),
    )


def _day(moment: dt.date | None) -> str | None:
    """The day alone; of a moment, that of UTC."""
    return moment.strftime("%Y-%m-%d") if moment else None


def _document_rows(places: Mapping[int, int]) -> Iterator[dict[str, Any]]:
    """What is indexed of each record, as this server indexes one without its mirrored report."""
    vocabulary = Vocabulary()
    for chunk in _chunks(places):
        rows = [row._replace(issue=row.issue._replace(title="", body="")) for row in read_rows(chunk, vocabulary)]
        for document in sorted(make_documents(rows, vocabulary), key=lambda document: places[document.id]):
            place = places[document.id]
            yield {
                "id": place,
                "texts": document.texts,
                "values": document.values,
                "numbers": document.numbers,
                "card": {**orjson.loads(document.card), "id": place},
                "features": b64encode(document.features).decode(),
            }


def _fault_rows() -> Iterator[dict[str, Any]]:
    addresses = set(_records().values_list("url", flat=True))
    for fault in sorted(known().faults, key=attrgetter("url")):
        if fault.url in addresses:
            yield fault_row(fault)


def _cause_links() -> Iterator[CauseLinkFacts]:
    """Of the house codebook; for each symptom the most trusted source first, and in it the causes of most issues."""
    links = CauseLink.objects.filter(symptom__axis__scheme__study=None, cause__axis__scheme__study=None)
    links = links.select_related("symptom", "cause", "source").order_by(
        "symptom__position", "-issues", "cause__position"
    )
    for link in sorted(links, key=lambda link: (link.symptom.position, link.source.by_trust)):
        yield CauseLinkFacts(
            symptom=link.symptom.code,
            cause=link.cause.code,
            issues=link.issues,
            n=link.symptom_issues,
            probability=link.probability,
            low=link.probability_low,
            high=link.probability_high,
            lift=link.lift,
            source=link.source.name,
        )


def _pattern_uses() -> Iterator[PatternUseFacts]:
    codes = {page.node_id: page.node.code for page in playbooks()}
    causes = [row.code for row in _house_nodes() if row.axis.code == "root_cause"]
    for cause, uses in patterns_of_causes(codes=causes).items():
        for use in uses:
            if use.pattern in codes:
                yield PatternUseFacts(cause, codes[use.pattern], use.issues, use.of)


def _playbook(playbook: Playbook) -> PatternPlaybook:
    return PatternPlaybook(playbook.node.code, playbook.applies_when, tuple(playbook.steps), tuple(playbook.caveats))


def _confirmed(places: Mapping[int, int]) -> Iterator[ConfirmedSignature]:
    """The newest first; a failure of an issue that is no record is left out."""
    for row in KnownSignature.objects.select_related("cause").order_by("-confirmed_at", "-pk"):
        place = places.get(row.issue_id) if row.issue_id else None
        if place or row.cause:
            cause = row.cause.code if row.cause else ""
            yield ConfirmedSignature(row.key, row.version, place, cause, f"{row.confirmed_at:%Y-%m-%d}")
