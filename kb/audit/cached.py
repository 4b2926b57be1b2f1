"""Audits of label sets, computed once for each state of their votes and kept in Django's cache."""

import hashlib

from django.core.cache import cache

from kb.audit import Finding, audit
from kb.audit.panels import LabelSet, PanelKeeper, Reader

CACHE_SECONDS = 24 * 3_600
# Goes up when a check changes, so that nobody is shown what an older one found.
VERSION = 1


def cached_audit(keeper: PanelKeeper, label_set: LabelSet, axis: str, *, reader: Reader) -> tuple[Finding, ...]:
    """The findings about a set that the keeper gave this reader, until votes or known facts of the issues change."""
    state = hashlib.sha256(f"{label_set.slug}:{axis}:{label_set.state}".encode()).hexdigest()
    key = f"audit:{VERSION}:{state}"
    findings: tuple[Finding, ...] | None = cache.get(key)
    if findings is None:
        findings = audit(keeper.read_panel(reader=reader, slug=label_set.slug, axis=axis))
        cache.set(key, findings, CACHE_SECONDS)
    return findings
