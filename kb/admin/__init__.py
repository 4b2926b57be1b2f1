"""The admin of every table; changes go through `kb.services`.

Issues' mirrored facts, studies and their schemes, published numbers and derived counts are read-only.
"""

from django.contrib import admin

from kb.admin import (
    codebook,
    diagnoses,
    frameworks,
    issues,
    labels,
    missed_searches,
    priorities,
    proposed_categories,
    published,
    releases,
    webhooks,
)

admin.site.site_header = "Faultbook"
admin.site.site_title = "Faultbook"
admin.site.index_title = "What is known, and who holds it"

__all__ = [
    "codebook",
    "diagnoses",
    "frameworks",
    "issues",
    "labels",
    "missed_searches",
    "priorities",
    "proposed_categories",
    "published",
    "releases",
    "webhooks",
]
