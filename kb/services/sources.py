"""Sources of imported labels, and the source of suggestions. The curated source is in `kb.services.labels`."""

from dataclasses import dataclass

from kb.models import Source, Study


@dataclass(frozen=True)
class StudySource:
    """The fields of a study's source."""

    slug: str
    name: str
    confidence: str
    url: str
    licence: str
    trust_note: str


def ensure_study_source(*, study: Study, wanted: StudySource) -> Source:
    """The source of a study's imported labels, created or updated."""
    values = {
        "name": wanted.name,
        "kind": Source.Kind.STUDY,
        "confidence": wanted.confidence,
        "study": study,
        "url": wanted.url,
        "licence": wanted.licence,
        "trust_note": wanted.trust_note,
    }
    return Source.objects.update_or_create(slug=wanted.slug, defaults=values)[0]


def ensure_rule_source(*, name: str, trust_note: str) -> Source:
    """The source of suggestions by rules, created or updated.

    `trust_note` says how often the rules were right. The confidence is low, because nobody checks the suggestions.
    """
    wanted = {"name": name, "confidence": Source.Confidence.LOW, "trust_note": trust_note}
    kind = Source.Kind.RULE
    source, _ = Source.objects.get_or_create(slug=kind.value, defaults={"kind": kind, **wanted})
    differing = [field for field, value in wanted.items() if getattr(source, field) != value]
    for field in differing:
        setattr(source, field, wanted[field])
    if differing:
        source.save(update_fields=differing)
    return source
