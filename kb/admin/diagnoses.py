"""What people shared and said of diagnoses: looked at, deleted when it has to go. Reviewing has pages of its own."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from kb.admin.base import ReadOnly, Unchangeable
from kb.models import DiagnosisFeedback, FeedbackDecision, KnownSignature, SharedDiagnosis


class Deletable(ReadOnly):
    """Looked at, or deleted by who may."""

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As the permissions say."""
        return admin.ModelAdmin.has_delete_permission(self, request, obj)


@admin.register(SharedDiagnosis)
class SharedDiagnosisAdmin(Deletable):
    """Whose it is and where it lies is nobody's business: account and link are not shown."""

    list_display = ("__str__", "created_at", "expires_at")
    search_fields = ("title",)
    fields = ("title", "created_at", "expires_at", "hidden", "data_text")


class Decisions(Unchangeable, admin.TabularInline[Any, Any]):
    """What staff decided, in order."""

    model = FeedbackDecision
    extra = 0
    fields = ("at", "state", "by", "reason")


@admin.register(DiagnosisFeedback)
class DiagnosisFeedbackAdmin(Deletable):
    """What was said. Who said it is not shown."""

    list_display = ("__str__", "subject", "state", "created_at")
    list_filter = ("state", "about", "is_right")
    search_fields = ("subject", "note", "signature_text")
    fields = (
        "about", "subject", "is_right", "really_at", "issue_url", "note", "signature_version", "signature_key",
        "signature_text", "excerpt_text", "state", "created_at",
    )  # fmt: skip
    inlines = (Decisions,)


@admin.register(KnownSignature)
class KnownSignatureAdmin(ReadOnly):
    """What failures are known to be. They come and go with the decisions on the review pages."""

    list_display = ("text", "issue", "cause", "confirmed_by", "confirmed_at")
    list_select_related = ("issue__repository", "cause", "confirmed_by")
    search_fields = ("text", "key")
    fields = ("version", "key", "text", "issue", "cause", "confirmed_by", "confirmed_at")
