"""Answers to the survey of priorities: looked at, and left out of the results with a reason; never edited."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from kb.admin.base import Plain, Unchangeable
from kb.models import SurveyAnswer, SurveyPlace
from kb.services.priorities import exclude_answer


class Places(Unchangeable, admin.TabularInline[Any, Any]):
    """What was ranked."""

    model = SurveyPlace
    extra = 0
    fields = ("group", "rank", "node")
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[SurveyPlace]:
        """With the themes' names."""
        places: QuerySet[SurveyPlace] = super().get_queryset(request)
        return places.select_related("node")


@admin.register(SurveyAnswer)
class SurveyAnswerAdmin(Plain):
    """Who is what, and whether it counts. Whose answer it is, is nobody's business: account and token are not shown."""

    list_display = ("__str__", "role", "experience", "sent_at", "changed_at", "counts", "excluded_because")
    list_filter = ("role", "experience", ("excluded_at", admin.EmptyFieldListFilter))
    search_fields = ("excluded_because",)
    readonly_fields = ("role", "experience", "sent_at", "changed_at", "excluded_at")
    fields = (*readonly_fields, "excluded_because")
    inlines = (Places,)

    @admin.display(boolean=True)
    def counts(self, answer: SurveyAnswer) -> bool:
        """Is it in the results?"""
        return answer.excluded_at is None

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002
        """Answers are given on the survey's page."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        """Left out they are counted and said; only who sent one takes it back."""
        return False

    def save_model(
        self,
        request: HttpRequest,  # noqa: ARG002
        obj: SurveyAnswer,
        form: forms.ModelForm[SurveyAnswer],  # noqa: ARG002
        change: bool,  # noqa: ARG002
    ) -> None:
        """Leave it out, or count it again when the reason is emptied."""
        exclude_answer(answer=obj, because=obj.excluded_because)
