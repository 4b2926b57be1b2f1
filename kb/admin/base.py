"""Base classes of the admin: tables, read-only tables and inlines, histories; lists as lines."""

from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.options import BaseModelAdmin
from django.contrib.admin.widgets import AdminTextareaWidget
from django.contrib.postgres.fields import ArrayField
from django.db import DatabaseError, models
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseRedirect

from kb.selectors.history import with_who
from kb.services.nodes import NodeChangeRefusedError


class LinesField(forms.Field):
    """A list of texts, one on each line, since texts may have commas."""

    widget = AdminTextareaWidget(attrs={"rows": 5})

    def prepare_value(self, value: Any) -> Any:
        """The texts as lines."""
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> list[str]:
        """The lines as texts, without empty ones."""
        return [line.strip() for line in (self.prepare_value(value) or "").splitlines() if line.strip()]

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether the lists differ."""
        return self.to_python(initial) != self.to_python(data)


class Plain(admin.ModelAdmin[Any]):
    """Base of every table: lists as lines, and refusals by the database or a service as messages.

    `can_add` and `can_delete` take a permission away from everybody; `fixed` fields can be set on creation only;
    `deferred` are columns that no page shows.
    """

    show_full_result_count = False
    list_per_page = 50
    can_add: ClassVar[bool] = True
    can_delete: ClassVar[bool] = True
    fixed: ClassVar[tuple[str, ...]] = ()
    deferred: ClassVar[tuple[str, ...]] = ()

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """The read-only fields, with the fixed ones of an existing row."""
        fields = super().get_readonly_fields(request, obj)
        return (*fields, *self.fixed) if obj else fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Without the deferred columns."""
        return super().get_queryset(request).defer(*self.deferred)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """As the user's permissions say, unless nobody may."""
        return self.can_add and super().has_add_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As the user's permissions say, unless nobody may."""
        return self.can_delete and super().has_delete_permission(request, obj)

    def formfield_for_dbfield(self, db_field: models.Field[Any, Any], request: HttpRequest, **kwargs: Any) -> Any:
        """Lists get a line for each entry; an address without a scheme means https."""
        if isinstance(db_field, ArrayField):
            hint = f"{db_field.help_text} One per line.".strip()
            return LinesField(
                required=not db_field.blank, help_text=hint, label=str(db_field.verbose_name).capitalize()
            )
        if isinstance(db_field, models.URLField):
            kwargs["assume_scheme"] = "https"
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """Save, or show why that was refused."""
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except (DatabaseError, NodeChangeRefusedError) as error:
            if request.method != "POST":
                raise
            self.message_user(request, f"Not saved: {str(error).splitlines()[0]}", messages.ERROR)
            return HttpResponseRedirect(request.get_full_path())


class ReadOnly(Plain):
    """A table that is only looked at: `admin.site.register(Model, ReadOnly, list_display=..., ...)`."""

    can_add = False
    can_delete = False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        """Nobody."""
        return False


class Deletable(ReadOnly):
    """A table that is only looked at, and whose rows can be deleted."""

    can_delete = True


class ReadOnlyInline(admin.TabularInline[Any, Any]):
    """Related rows that are only looked at."""

    extra = 0

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        """Nobody."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        """Nobody."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        """Nobody."""
        return False


class Events(BaseModelAdmin[Any]):
    """Rows of a history, with the user's name."""

    ordering = ("-pgh_id",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With the users' names."""
        return with_who(super().get_queryset(request))

    @admin.display(description="by")
    def who(self, event: Any) -> str:
        """The user's name."""
        return event.who or "import or command"


class History(Events, ReadOnlyInline):
    """The history of a row, newest first; `tracked` are the fields to show."""

    fk_name = "pgh_obj"
    verbose_name_plural = "history"
    classes = ("collapse",)
    tracked: ClassVar[tuple[str, ...]] = ()

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:  # noqa: ARG002
        """Time, kind of change, user, and the tracked values."""
        return ("pgh_created_at", "pgh_label", "who", *self.tracked)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """All of them."""
        return self.get_fields(request, obj)


class HistoryTable(Events, ReadOnly):
    """The history of a whole table, deletions included."""

    list_filter = ("pgh_label", "pgh_created_at")
