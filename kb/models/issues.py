"""Issues, as mirrored from their host and as described in our own words.

Derived facts (duration, hard, search vector) are computed by Postgres, never by hand.
"""

import datetime as dt

import pghistory
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import ExpressionWrapper, F, Q
from django.db.models.functions import Upper
from django.db.models.lookups import GreaterThan
from django.urls import reverse

from kb.core.public_ids import PATTERN
from kb.core.secrets import mask
from kb.models.circumstances import Circumstances
from kb.models.fixes import Fix
from kb.models.frameworks import Repository
from kb.models.issue_choices import Certainty, Kind, Severity, State

HARD_OPEN_DAYS = 30
HARD_COMMENTS = 10
OPEN_DURATION = ExpressionWrapper(F("closed_at") - F("opened_at"), output_field=models.DurationField())


class IssueQuerySet(models.QuerySet["Issue"]):
    """Reusable fragments of issue queries."""

    def true_issues(self) -> "IssueQuerySet":
        """Everything that is not known to be a pull request."""
        return self.exclude(kind=Kind.PULL_REQUEST)

    def curated(self) -> "IssueQuerySet":
        """Issues that somebody described in our own words."""
        return self.filter(is_curated=True)

    def unmirrored(self) -> "IssueQuerySet":
        """Issues of whose thread nothing is here: a mirrored one has a title at least."""
        return self.filter(title="", body="")


@pghistory.track(
    fields=[
        "heading",
        "summary",
        "fix_line",
        "snippet",
        "recognise",
        "also_seen",
        "resolution",
        "workaround",
        "affected_versions",
        "fixed_version",
        "read_on",
    ],
    model_name="IssueTextEvent",
)
class Issue(Circumstances):
    """One report, identified for ever by its URL."""

    # Found by the unique constraint below.
    repository = models.ForeignKey(Repository, on_delete=models.PROTECT, related_name="issues", db_index=False)
    ref = models.CharField(max_length=20, help_text="The host's number or code, such as 5030 or I71V26.")
    url = models.URLField(max_length=300, unique=True)
    kind = models.CharField(max_length=12, choices=Kind.choices, default=Kind.UNKNOWN)

    # As written. What leaves the product is `shown_title` and `shown_body`.
    title = models.TextField(blank=True, help_text="As mirrored from the host.")
    body = models.TextField(blank=True, help_text="As mirrored from the host.")
    state = models.CharField(max_length=8, choices=State.choices, default=State.UNKNOWN)
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    host_updated_at = models.DateTimeField(null=True, blank=True)
    comment_count = models.PositiveIntegerField(null=True, blank=True)
    reaction_count = models.PositiveIntegerField(null=True, blank=True)
    host_labels = ArrayField(models.TextField(), default=list, blank=True)
    author = models.CharField(
        max_length=80,
        blank=True,
        default="",
        db_default="",
        help_text="Empty when not mirrored or the account is gone.",
    )
    author_association = models.CharField(max_length=24, blank=True)
    node_id = models.CharField(
        max_length=80, blank=True, default="", db_default="", help_text="The host's id, which survives renames."
    )
    state_reason = models.CharField(
        max_length=20, blank=True, default="", db_default="", help_text="Why it is closed, as the host puts it."
    )
    deleted_at = models.DateTimeField(null=True, blank=True, help_text="When we found that the host deleted it.")
    moved_to = models.URLField(
        max_length=300,
        blank=True,
        default="",
        db_default="",
        help_text="Where it is now, when we keep it apart from there.",
    )

    public_id = models.CharField(
        max_length=20,
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text="Such as FB-000860, the same on every server; empty where nobody described it.",
    )
    heading = models.CharField(max_length=160, blank=True, help_text="Our own title.")
    summary = models.TextField(blank=True, help_text="What goes wrong and how it shows, in our own words.")
    recognise = ArrayField(models.TextField(), default=list, blank=True, help_text="Short error signatures.")
    no_line = models.TextField(
        blank=True, default="", db_default="", help_text="Why there is no line to recognise it by."
    )
    also_seen = ArrayField(
        models.TextField(),
        default=list,
        db_default=[],
        blank=True,
        help_text="Other faces: follow-on lines, exit codes, everyday words.",
    )
    fix_line = models.CharField(
        max_length=200, blank=True, default="", db_default="", help_text="What to do now, in one sentence."
    )
    snippet = models.TextField(blank=True, default="", db_default="", help_text="What to paste, a few lines.")
    resolution = models.TextField(blank=True, help_text="What fixed it; empty when not stated.")
    workaround = models.TextField(blank=True, help_text="What to do until then; empty when not stated.")
    affected_versions = ArrayField(models.TextField(), default=list, blank=True)
    fixed_version = models.CharField(max_length=80, blank=True)
    affects_when = models.TextField(
        blank=True,
        default="",
        db_default="",
        help_text="What must be true of a set-up besides versions: an expression of kb.core.setups.",
    )
    range_unknown = models.TextField(
        blank=True, default="", db_default="", help_text="Why no version with or without the fault can be told."
    )
    certainty = models.CharField(
        max_length=10,
        choices=Certainty.choices,
        blank=True,
        default="",
        db_default="",
        help_text="Of cause and fix as a whole.",
    )
    inferred = ArrayField(
        models.TextField(),
        default=list,
        db_default=[],
        blank=True,
        help_text="Claims that follow from the thread and that no link states.",
    )
    severity = models.CharField(max_length=12, choices=Severity.choices, blank=True, default="", db_default="")
    model_names = ArrayField(
        models.TextField(), default=list, db_default=[], blank=True, help_text="Models that the fault needs."
    )
    layout = models.CharField(
        max_length=120, blank=True, default="", db_default="", help_text="The parallel layout, where it matters."
    )
    neighbours = models.JSONField(
        default=list, db_default=[], blank=True, help_text="Records that look the same: url, and how to tell."
    )
    evidence = models.JSONField(default=list, blank=True, help_text="Links our claims rest on: url, supports, by.")
    related_urls = ArrayField(models.URLField(max_length=300), default=list, blank=True)
    read_on = models.DateField(null=True, blank=True)
    read_extent = models.TextField(blank=True)
    checked_on = models.DateField(null=True, blank=True, help_text="When somebody else checked the record.")
    checked_extent = models.TextField(blank=True, default="", db_default="")
    label_terms = models.TextField(
        blank=True,
        editable=False,
        help_text="Names and aliases of the trusted house labels, and what else is seen, for search.",
    )

    fixes = models.ManyToManyField(Fix, related_name="issues", blank=True)
    related = models.ManyToManyField("self", blank=True, help_text="Duplicates and relatives.")

    open_duration = models.GeneratedField(
        expression=OPEN_DURATION, output_field=models.DurationField(null=True), db_persist=True
    )
    is_hard = models.GeneratedField(
        expression=ExpressionWrapper(
            Q(GreaterThan(OPEN_DURATION, dt.timedelta(days=HARD_OPEN_DAYS)), comment_count__gte=HARD_COMMENTS),
            output_field=models.BooleanField(null=True),
        ),
        output_field=models.BooleanField(null=True),
        db_persist=True,
        help_text="Open for more than 30 days and at least 10 comments (study P1).",
    )
    is_curated = models.GeneratedField(
        expression=ExpressionWrapper(~Q(summary=""), output_field=models.BooleanField()),
        output_field=models.BooleanField(),
        db_persist=True,
        help_text="We described it.",
    )
    search_vector = models.GeneratedField(
        expression=models.Func(
            F("title"), F("heading"), F("recognise"), F("label_terms"), F("summary"), F("resolution"), F("workaround"),
            models.Func(F("kind"), F("body"), function="kb_searched_body"), F("ref"), function="kb_issue_vector",
        ),
        output_field=SearchVectorField(null=True),
        db_persist=True,
    )  # fmt: skip

    objects = IssueQuerySet.as_manager()

    class Meta:
        ordering = (F("opened_at").desc(nulls_last=True), "-pk")
        constraints = (
            models.UniqueConstraint(fields=("repository", "ref"), name="issue_repository_ref_unique"),
            models.UniqueConstraint(fields=("public_id",), condition=~Q(public_id=""), name="issue_public_id_unique"),
            models.CheckConstraint(
                condition=Q(public_id="") | Q(public_id__regex=f"^{PATTERN}$"), name="issue_public_id_form"
            ),
            models.UniqueConstraint(fields=("node_id",), condition=~Q(node_id=""), name="issue_node_unique"),
            models.CheckConstraint(
                condition=Q(closed_at__isnull=True) | Q(opened_at__isnull=True) | Q(closed_at__gte=F("opened_at")),
                name="issue_closed_not_before_opened",
            ),
            models.CheckConstraint(
                condition=~Q(state=State.OPEN) | Q(closed_at__isnull=True), name="issue_open_has_no_closing_date"
            ),
        )
        indexes = (
            GinIndex(fields=("search_vector",), name="issue_search"),
            models.Index(F("opened_at").desc(nulls_last=True), F("id").desc(), name="issue_newest"),
            models.Index(
                F("is_curated").desc(), F("opened_at").desc(nulls_last=True), F("id").desc(), name="issue_curated_first"
            ),
            models.Index(
                F("comment_count").desc(nulls_last=True),
                F("opened_at").desc(nulls_last=True),
                F("id").desc(),
                name="issue_discussed",
            ),
            models.Index(
                F("open_duration").asc(nulls_last=True),
                F("opened_at").desc(nulls_last=True),
                F("id").desc(),
                name="issue_quickest",
            ),
            models.Index(fields=("closed_at",), name="issue_closed"),
            models.Index(fields=("reaction_count",), name="issue_reactions"),
            models.Index(fields=("kind",), name="issue_kind"),
            models.Index(fields=("id",), condition=Q(is_hard=True), name="issue_hard"),
            models.Index(fields=("id",), condition=~Q(resolution=""), name="issue_resolved"),
            # A short name, such as DeepSpeed#860, is looked for whatever its case.
            models.Index(Upper("ref"), F("repository"), name="issue_short_name"),
        )

    def __str__(self) -> str:
        return self.short_name

    def get_absolute_url(self) -> str:
        """Our page about the issue: by its public id where it has one, else by its place on its host."""
        if self.public_id:
            return reverse("fault", args=(self.public_id,))
        owner, name = self.repository.full_name.split("/")
        return reverse("issue", args=(self.repository.host, owner, name, self.ref))

    @property
    def short_name(self) -> str:
        """`DeepSpeed#860`; a Gitee code stands as it is: `mindspore#I71V26`."""
        return f"{self.repository.full_name.split('/')[1]}#{self.ref}"

    @property
    def display_title(self) -> str:
        """Our heading, else the host's title without secrets, else the short name."""
        return self.heading or self.shown_title or self.short_name

    @property
    def shown_title(self) -> str:
        """The mirrored title as it may leave the product: without what people paste by accident (`kb.core.secrets`)."""
        return mask(self.title).text

    @property
    def shown_body(self) -> str:
        """The same of the mirrored text."""
        return mask(self.body).text
