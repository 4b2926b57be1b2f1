"""Studies, schemes, axes, nodes, crosswalks and playbooks. What a study published stays as it is."""

from django import forms
from django.apps import apps
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from kb.admin.base import History, HistoryTable, Plain, ReadOnly, ReadOnlyInline
from kb.models import Axis, Crosswalk, Node, Playbook, Scheme, Study
from kb.services.codebook import save_playbooks
from kb.services.nodes import NodeChangeRefusedError, edit_node, merge_node, retire_node

KEPT_IN_A_FILE = (
    "The house codebook is kept in kb/codebook/house.yaml. A change here holds at once, and lasts only if it is made "
    "in that file too: loading the codebook brings the file's words back."
)
KEPT_IN_PLAYBOOKS = KEPT_IN_A_FILE.replace(
    "house codebook is kept in kb/codebook/house.yaml", "playbooks are kept in kb/codebook/playbooks"
)
EXAMPLE = ("example_note", "example_language", "before", "after")
PUBLISHED = ("published_count", "published_percent", "percent_of", "published_trust", "no_crosswalk_reason")


admin.site.register(
    Study,
    ReadOnly,
    list_display=("code", "title", "year", "licence", "sample_total"),
    list_filter=("year",),
    search_fields=("code", "slug", "title", "authors"),
)


class AxisInline(ReadOnlyInline):
    """A scheme's axes."""

    model = Axis
    fields = ("code", "name", "question", "several")
    show_change_link = True


admin.site.register(
    Scheme,
    ReadOnly,
    list_display=("slug", "name", "version", "study"),
    list_select_related=("study",),
    search_fields=("slug", "name"),
    inlines=(AxisInline,),
)
admin.site.register(
    Axis,
    ReadOnly,
    list_display=("scheme", "code", "name", "question", "several"),
    list_filter=("scheme",),
    list_select_related=("scheme",),
    search_fields=("code", "name", "question"),
)


class ChildInline(ReadOnlyInline):
    """The nodes below a node."""

    model = Node
    fk_name = "parent"
    fields = ("code", "name", "definition", "status")
    show_change_link = True
    verbose_name_plural = "nodes below"


class NodeHistory(History):
    """The history of a node."""

    model = apps.get_model("kb", "NodeEvent")
    tracked = ("name", "definition", "status", "merged_into")


@admin.register(Node)
class NodeAdmin(Plain):
    """Nodes. A house node's texts can be changed; it can be retired or merged, never deleted."""

    can_add = False  # New nodes are written in the codebook's file.
    can_delete = False
    list_display = ("code", "name", "axis", "parent", "status", "published_count")
    list_filter = ("status", "axis__scheme", "axis__code")
    list_select_related = ("axis__scheme", "parent")
    search_fields = ("code", "name", "aliases")
    ordering = ("axis__scheme", "axis__position", "position", "pk")
    autocomplete_fields = ("merged_into",)
    readonly_fields = ("axis", "parent", "code", "status", "position", *PUBLISHED)
    inlines = (ChildInline, NodeHistory)
    actions = ("retire",)
    fieldsets = (
        (None, {"fields": ("axis", "parent", "code", "status"), "description": KEPT_IN_A_FILE}),
        (
            "What it means",
            {
                "fields": (
                    "name", "definition", "include", "exclude", "examples", "aliases", "specific_to_distributed",
                    "note",
                )
            },
        ),
        (
            "Merge",
            {
                "fields": ("merged_into",),
                "description": "Choosing a successor moves every label there and retires this node.",
            },
        ),
        ("As published", {"classes": ("collapse",), "fields": PUBLISHED}),
    )  # fmt: skip

    def has_change_permission(self, request: HttpRequest, obj: Node | None = None) -> bool:
        """Only active nodes of the house codebook: studies' categories stay as published."""
        if obj is not None and not (obj.axis.scheme.is_house and obj.status == Node.Status.ACTIVE):
            return False
        return super().has_change_permission(request, obj)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Node], search_term: str
    ) -> tuple[QuerySet[Node], bool]:
        """Autocompletion offers only active house nodes."""
        nodes, has_duplicates = super().get_search_results(request, queryset, search_term)
        if request.GET.get("field_name"):
            nodes = nodes.house().filter(status=Node.Status.ACTIVE)  # type: ignore[attr-defined]
        return nodes, has_duplicates

    def save_model(self, request: HttpRequest, obj: Node, form: forms.ModelForm[Node], change: bool) -> None:  # noqa: ARG002
        """Save the texts, then merge if a successor was chosen."""
        words = {name: form.cleaned_data[name] for name in form.changed_data if name != "merged_into"}
        into, obj.merged_into = obj.merged_into, None
        edit_node(node=obj, values=words)
        if into:
            moved = merge_node(node=obj, into=into)
            self.message_user(request, f"{moved} labels moved to “{into}”.")

    @admin.action(description="Retire the chosen nodes", permissions=("change",))
    def retire(self, request: HttpRequest, nodes: QuerySet[Node]) -> None:
        """Retire nodes that no issue carries."""
        for node in nodes:
            try:
                retire_node(node=node)
            except NodeChangeRefusedError as error:
                self.message_user(request, str(error), messages.ERROR)
            else:
                self.message_user(request, f"“{node}” is retired.")


@admin.display(description="scheme", ordering="from_node__axis__scheme__slug")
def scheme_of(relation: Crosswalk) -> str:
    """The study's scheme."""
    return relation.from_node.axis.scheme.slug


admin.site.register(
    Crosswalk,
    ReadOnly,
    list_display=("from_node", scheme_of, "relation", "to_node", "note"),
    list_filter=("relation", "from_node__axis__scheme"),
    list_select_related=("from_node__axis__scheme", "to_node"),
    search_fields=("from_node__code", "from_node__name", "to_node__code", "to_node__name", "note"),
    ordering=("from_node__axis__scheme", "from_node__position", "pk"),
)
admin.site.register(
    apps.get_model("kb", "CrosswalkEvent"),
    HistoryTable,
    list_display=("pgh_created_at", "pgh_label", "who", "from_node", "relation", "to_node", "note"),
    list_select_related=("from_node", "to_node"),
)


class PlaybookHistory(History):
    """The history of a playbook."""

    model = apps.get_model("kb", "PlaybookEvent")
    tracked = ("applies_when", "steps", "caveats", *EXAMPLE)


@admin.register(Playbook)
class PlaybookAdmin(Plain):
    """Playbooks of fix patterns. They are created and deleted with the codebook's files."""

    can_add = False
    can_delete = False
    list_display = ("node", "applies_when")
    list_select_related = ("node",)
    search_fields = ("node__code", "node__name", "applies_when")
    readonly_fields = ("node",)
    fieldsets = (
        (None, {"fields": ("node", "applies_when", "steps", "caveats"), "description": KEPT_IN_PLAYBOOKS}),
        ("Example of our own", {"fields": EXAMPLE}),
    )
    inlines = (PlaybookHistory,)

    def save_model(self, request: HttpRequest, obj: Playbook, form: forms.ModelForm[Playbook], change: bool) -> None:  # noqa: ARG002
        """Save the changed fields."""
        save_playbooks(wanted={obj.node: {name: form.cleaned_data[name] for name in form.changed_data}})
