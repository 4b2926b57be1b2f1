"""Mirrors in the admin: adding a repository by its address, switching, and what runs left behind.

What each button does is in `ingest.services.mirrors`; runs, deliveries and what was left out are only looked at.
"""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ingest.admin.imports import LogAdmin, ReadOnlyAdmin
from ingest.models import Delivery, KeywordList, LeftOut, Mirror, SyncRun
from ingest.selectors.mirrors import find_mirror
from ingest.services import mirrors
from ingest.services.deliveries import ask_reading
from ingest.sync.wakeups import waker
from ingest.web.actions import BUSY, apply_action
from kb.admin.base import Plain
from kb.core.addresses import BadAddressError
from kb.models import Framework
from kb.services.locks import LockHeldError

READ_AGAIN = "Everything is read again to apply the change."


class AddMirrorForm(forms.ModelForm[Mirror]):
    """Asks for a repository by its address."""

    url = forms.URLField(
        label="Address",
        assume_scheme="https",
        help_text="For example https://github.com/deepspeedai/DeepSpeed, or any address below it.",
    )
    framework = forms.ModelChoiceField(
        Framework.objects.all(),
        required=False,
        help_text="Needed only for repositories new to Faultbook; left empty, it is filed under “Others”.",
    )

    class Meta:
        model = Mirror
        fields = ("interval_minutes", "backfill_from", "keywords")

    def clean_url(self) -> str:
        """An address of a repository that is not mirrored yet."""
        url: str = self.cleaned_data["url"]
        try:
            mirror = find_mirror(url=url)
        except BadAddressError as error:
            raise forms.ValidationError(f"This is not a repository's address: {error}.") from error
        if mirror is not None:
            raise forms.ValidationError(f"{mirror} is mirrored already.")
        return url


@admin.register(Mirror)
class MirrorAdmin(Plain):
    """Mirrors. They are switched off, not deleted: what they brought stays."""

    list_display = ("repository", "host", "is_on", "interval_minutes", "keywords", "fresh_at", "public_page")
    list_filter = ("is_on", "repository__host", "keywords")
    list_select_related = ("repository", "keywords", "cursor")
    search_fields = ("repository__full_name",)
    fields = ("repository", "is_on", "interval_minutes", "backfill_from", "keywords", "public_page")
    readonly_fields = ("repository", "public_page")
    actions = ("pause", "resume", "sync_now", "sweep_now", "read_again")

    def get_form(self, request: HttpRequest, obj: Mirror | None = None, change: bool = False, **kwargs: Any) -> Any:
        """A new one begins with an address."""
        if obj is None:
            kwargs["form"] = AddMirrorForm
        return super().get_form(request, obj, change, **kwargs)

    def get_fields(self, request: HttpRequest, obj: Mirror | None = None) -> Any:
        """A new one begins with an address."""
        if obj is None:
            return ("url", "framework", "interval_minutes", "backfill_from", "keywords")
        return super().get_fields(request, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: Mirror | None = None) -> Any:
        """Nothing of a new one is fixed."""
        return super().get_readonly_fields(request, obj) if obj else ()

    def has_delete_permission(self, request: HttpRequest, obj: Mirror | None = None) -> bool:  # noqa: ARG002
        """Its runs and what it left out would go with it."""
        return False

    def save_model(self, request: HttpRequest, obj: Mirror, form: Any, change: bool) -> None:
        """Add the repository, or take over how it is wanted."""
        if not change:
            self._add(obj, form)
            return
        super().save_model(request, obj, form, change)
        if {"keywords", "backfill_from"} & set(form.changed_data):
            try:
                mirrors.read_all_again(mirror=obj)
                self.message_user(request, READ_AGAIN)
            except LockHeldError:
                self.message_user(request, BUSY, messages.ERROR)

    def _add(self, obj: Mirror, form: AddMirrorForm) -> None:
        """Add a mirror by the service, and let the admin's row stand for it."""
        data = form.cleaned_data
        framework = data["framework"].slug if data["framework"] else ""
        mirror, _ = mirrors.add_mirror(url=data["url"], framework=framework, keywords=data["keywords"])
        obj.pk, obj.repository = mirror.pk, mirror.repository
        obj._state.adding = False
        obj.save(update_fields=["interval_minutes", "backfill_from"])

    def _apply(self, request: HttpRequest, chosen: QuerySet[Mirror], action: str) -> None:
        for mirror in chosen.select_related("repository"):
            try:
                self.message_user(request, f"{mirror}: {apply_action(mirror, action)}")
            except LockHeldError:
                self.message_user(request, f"{mirror}: {BUSY}", messages.ERROR)

    @admin.action(description="Pause", permissions=["change"])
    def pause(self, request: HttpRequest, chosen: QuerySet[Mirror]) -> None:
        """Switch the chosen mirrors off."""
        self._apply(request, chosen, "pause")

    @admin.action(description="Resume", permissions=["change"])
    def resume(self, request: HttpRequest, chosen: QuerySet[Mirror]) -> None:
        """Switch the chosen mirrors on."""
        self._apply(request, chosen, "resume")

    @admin.action(description="Check for changes now", permissions=["change"])
    def sync_now(self, request: HttpRequest, chosen: QuerySet[Mirror]) -> None:
        """Begin the next run at once."""
        self._apply(request, chosen, "sync")

    @admin.action(description="Recheck every issue", permissions=["change"])
    def sweep_now(self, request: HttpRequest, chosen: QuerySet[Mirror]) -> None:
        """Sweep over everything."""
        self._apply(request, chosen, "sweep")

    @admin.action(description="Read everything again", permissions=["change"])
    def read_again(self, request: HttpRequest, chosen: QuerySet[Mirror]) -> None:
        """Read the host's whole list."""
        self._apply(request, chosen, "again")

    @admin.display(description="host", ordering="repository__host")
    def host(self, mirror: Mirror) -> str:
        """Where it is."""
        return mirror.repository.get_host_display()

    @admin.display(description="same as its host at", ordering="cursor__fresh_at")
    def fresh_at(self, mirror: Mirror) -> Any:
        """How fresh it is."""
        return mirror.cursor.fresh_at if hasattr(mirror, "cursor") else None

    @admin.display(description="status")
    def public_page(self, mirror: Mirror) -> SafeString:
        """Where its status is told."""
        owner, name = mirror.repository.full_name.split("/")
        address = reverse("mirror-status", args=(mirror.repository.host, owner, name))
        return format_html('<a href="{}">Freshness and runs</a>', address)


@admin.register(KeywordList)
class KeywordListAdmin(Plain):
    """Lists of words. New and changed issues are sorted by them at once, all others when everything is read again."""

    list_display = ("name", "number", "note")
    search_fields = ("name", "words")

    @admin.display(description="words")
    def number(self, keywords: KeywordList) -> int:
        """How many words it has."""
        return len(keywords.words)


@admin.register(SyncRun)
class SyncRunAdmin(LogAdmin):
    """Runs, with what went wrong in them."""

    list_display = ("started_at", "mirror", "kind", "status", "requests", "created", "updated", "problem")
    list_filter = ("status", "kind", "mirror")
    search_fields = ("mirror__repository__full_name", "problem")
    list_select_related = ("mirror__repository",)
    date_hierarchy = "started_at"
    show_full_result_count = False


@admin.register(LeftOut)
class LeftOutAdmin(ReadOnlyAdmin):
    """What keywords left out."""

    list_display = ("shown_title", "ref", "mirror", "kind", "host_updated_at", "overruled_by", "overruled_at")
    list_filter = ("mirror", "kind")
    search_fields = ("title", "ref")
    list_select_related = ("mirror__repository", "overruled_by")
    actions = ("keep",)
    show_full_result_count = False

    @admin.display(description="title", ordering="title", empty_value="without a title")
    def shown_title(self, left_out: LeftOut) -> str | None:
        """The title as others see it; the row's own page has it as written."""
        return left_out.shown_title or None

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        """Not in a form; the action asks for the right to change mirrors."""
        return False

    def has_keep_permission(self, request: HttpRequest) -> bool:
        """Who may change mirrors may say what is kept."""
        return request.user.has_perm("ingest.change_mirror")

    @admin.action(description="Mirror them anyway", permissions=["keep"])
    def keep(self, request: HttpRequest, chosen: QuerySet[LeftOut]) -> None:
        """Keep and read the chosen ones."""
        rows = list(chosen.select_related("mirror__repository"))
        for left_out in rows:
            mirrors.keep_after_all(left_out=left_out, user=request.user)  # type: ignore[arg-type]
            ask_reading(repository=left_out.mirror.repository, ref=left_out.ref)
        waker.wake()
        self.message_user(request, f"{len(rows)} mirrored from now on. They appear once they have been read.")


@admin.register(Delivery)
class DeliveryAdmin(LogAdmin):
    """What webhooks brought, and what was done about it."""

    list_display = ("received_at", "event", "action", "repository", "ref", "handled_at", "outcome")
    list_filter = ("event", ("handled_at", admin.EmptyFieldListFilter))
    search_fields = ("repository", "ref", "guid")
    date_hierarchy = "received_at"
    show_full_result_count = False
