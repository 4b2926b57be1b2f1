"""Answers to the survey of priorities: looked at, and excluded from the results with a reason; never edited."""

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from kb.admin.base import Plain, ReadOnlyInline
from kb.models import SurveyAnswer, SurveyPlace
from kb.services.priorities import exclude_answer


class Places(ReadOnlyInline):
    """The ranked themes."""

    model = SurveyPlace
    fields = ("group", "rank", "node")
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[SurveyPlace]:
        """With the themes' names."""
        places: QuerySet[SurveyPlace] = super().get_queryset(request)
        return places.select_related("node")


@admin.register(SurveyAnswer)
class SurveyAnswerAdmin(Plain):
    """Answers are given and withdrawn on the survey's page, and excluded here. Account and token are not shown."""

    can_add = False
    can_delete = False
    list_display = ("__str__", "role", "experience", "sent_at", "changed_at", "counts", "excluded_because")
    list_filter = ("role", "experience", ("excluded_at", admin.EmptyFieldListFilter))
    search_fields = ("excluded_because",)
    readonly_fields = ("role", "experience", "sent_at", "changed_at", "excluded_at")
    fields = (*readonly_fields, "excluded_because")
    inlines = (Places,)

    @admin.display(boolean=True)
    def counts(self, answer: SurveyAnswer) -> bool:
        """Whether it is in the results."""
        return answer.excluded_at is None

    def save_model(
        self,
        request: HttpRequest,  # noqa: ARG002
        obj: SurveyAnswer,
        form: forms.ModelForm[SurveyAnswer],  # noqa: ARG002
        change: bool,  # noqa: ARG002
    ) -> None:
        """Exclude the answer, or include it when the reason is emptied."""
        exclude_answer(answer=obj, because=obj.excluded_because)
