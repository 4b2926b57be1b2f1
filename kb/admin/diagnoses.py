"""Shared diagnoses and feedback: looked at, and deleted where necessary. Reviewing has pages of its own.

Accounts and links are not shown: nobody is to see whose diagnosis or feedback it is.
"""

from django.contrib import admin

from kb.admin.base import Deletable, ReadOnly, ReadOnlyInline
from kb.models import DiagnosisFeedback, FeedbackDecision, KnownSignature, SharedDiagnosis

admin.site.register(
    SharedDiagnosis,
    Deletable,
    list_display=("__str__", "created_at", "expires_at"),
    search_fields=("title",),
    fields=("title", "created_at", "expires_at", "hidden", "data_text"),
)


class Decisions(ReadOnlyInline):
    """The decisions of staff, in order."""

    model = FeedbackDecision
    fields = ("at", "state", "by", "reason")


admin.site.register(
    DiagnosisFeedback,
    Deletable,
    list_display=("__str__", "subject", "state", "created_at"),
    list_filter=("state", "about", "is_right"),
    search_fields=("subject", "note", "signature_text"),
    fields=(
        "about", "subject", "is_right", "really_at", "issue_url", "note", "signature_version", "signature_key",
        "signature_text", "excerpt_text", "state", "created_at",
    ),
    inlines=(Decisions,),
)  # fmt: skip
# Known signatures are created and deleted with the decisions on the review pages.
admin.site.register(
    KnownSignature,
    ReadOnly,
    list_display=("text", "issue", "cause", "confirmed_by", "confirmed_at"),
    list_select_related=("issue__repository", "cause", "confirmed_by"),
    search_fields=("text", "key"),
    fields=("version", "key", "text", "issue", "cause", "confirmed_by", "confirmed_at"),
)
