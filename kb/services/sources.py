"""Sources that hold imported labels. The curated source is `kb.services.labels`."""

from dataclasses import dataclass

from kb.models import Source, Study


@dataclass(frozen=True)
class StudySource:
    """What is to be said about a study's label set."""

    slug: str
    name: str
    confidence: str
    url: str
    licence: str
    trust_note: str


def ensure_study_source(*, study: Study, wanted: StudySource) -> Source:
    """Return the source of a study's imported labels, created or brought in line with what is said about it."""
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
