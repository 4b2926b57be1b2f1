"""Issues with labels, fixes and relatives inline; fixes with their issues; comments."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rest_framework import serializers

from kb.api.serializers.base import IssueRefSerializer, PageAddress, Shape, SourceRefSerializer, Stated
from kb.api.serializers.provenance import Chains, TwoReadingsSerializer
from kb.filters.filter_types import listed
from kb.filters.issues import AXIS_KEYS
from kb.models import Fix, FixTestedBy, FoundBy, Host, Issue, Kind, Reach, ReproducedWith, State, ToldBy
from kb.selectors.issue_labels import ByAxis, IssueLabels, LabelRow
from kb.starter import example


class LabelSerializer(Shape):
    """One answer on one axis."""

    code = serializers.CharField(help_text="Code of the node.")
    name = serializers.CharField(help_text="Name of the node.")
    source = SourceRefSerializer(help_text="Who holds the label.")  # type: ignore[assignment]
    reason = Stated(help_text="Why, in a line; null when not stated.")
    page = PageAddress(help_text="Our page about the node.")


class HouseLabels(serializers.DictField):
    """The labels by axis of the house codebook; every axis has its key."""

    child = LabelSerializer(many=True)

    def get_attribute(self, instance: Issue) -> dict[str, Sequence[LabelRow]]:
        """Labels grouped by axis."""
        return {**dict.fromkeys(AXIS_KEYS.values(), ()), **self.of(self.context["labels"][instance.pk])}

    def of(self, labels: IssueLabels) -> Mapping[str, Sequence[LabelRow]]:
        """Those that are shown here."""
        return labels.house


class Suggestions(HouseLabels):
    """What rules suggest, by axis of the house codebook; every axis has its key."""

    def of(self, labels: IssueLabels) -> Mapping[str, Sequence[LabelRow]]:
        """Those of rules."""
        return labels.suggested


class StudyLabels(serializers.DictField):
    """The labels that studies gave in their own words, by scheme and axis."""

    child = serializers.DictField(child=LabelSerializer(many=True))

    def get_attribute(self, instance: Issue) -> dict[str, ByAxis]:
        """Labels grouped by scheme, then by axis."""
        labels: IssueLabels = self.context["labels"][instance.pk]
        return labels.studies


class IssueFixSerializer(Shape):
    """What closed an issue."""

    id = serializers.IntegerField(help_text="Id of the fix.")
    url = serializers.URLField(help_text="The pull request's or commit's address.")
    kind = serializers.ChoiceField(choices=Fix.Kind.choices, help_text="What the address points at.")
    description = Stated(help_text="What it changes, in our own words.")
    merged_on = serializers.DateField(allow_null=True, help_text="Day of the merge; null when not stated.")
    additions = serializers.IntegerField(allow_null=True, help_text="Lines added.")
    deletions = serializers.IntegerField(allow_null=True, help_text="Lines deleted.")
    files_changed = serializers.IntegerField(allow_null=True, help_text="Files changed.")
    lines_changed = serializers.IntegerField(allow_null=True, help_text="Lines added and deleted together.")
    is_small = serializers.BooleanField(allow_null=True, help_text="At most 10 changed lines; null when not known.")


class FixSerializer(IssueFixSerializer):
    """A fix with the issues that it closed."""

    issues = IssueRefSerializer(many=True, help_text="Issues that it closed.")


class EvidenceSerializer(Shape):
    """A link that one of our claims rests on."""

    url = serializers.CharField(allow_null=True, help_text="Where to read it.")
    supports = serializers.CharField(allow_null=True, help_text="Which claim it supports, such as `resolution`.")
    by = serializers.CharField(allow_null=True, help_text="Who says so, such as `maintainer`.")


@dataclass(frozen=True)
class Relative:
    """A related issue, known here or not."""

    url: str
    issue: Issue | None


class RelativeSerializer(Shape):
    """A duplicate or relative; all but the address are null when we do not hold it."""

    url = serializers.URLField(help_text="The original issue's address.")
    id = serializers.IntegerField(source="issue.id", allow_null=True, help_text="Id of the issue.")
    public_id = Stated(source="issue.public_id", help_text="Such as `FB-000860`; null where nobody described it.")
    title = serializers.CharField(source="issue.display_title", allow_null=True, help_text="Title.")
    page = PageAddress(source="issue", allow_null=True)


class Relatives(serializers.ListField):
    """Duplicates and relatives, linked here or only named."""

    child = RelativeSerializer()

    def get_attribute(self, instance: Issue) -> list[Relative]:
        """The addresses that the record names first, then the other linked issues."""
        linked = {issue.url: issue for issue in instance.related.all()}
        return [Relative(url, linked.get(url)) for url in dict.fromkeys([*instance.related_urls, *linked])]


class OtherReports(serializers.ListField):
    """The addresses of other reports that a record answers."""

    child = serializers.URLField()

    def get_attribute(self, instance: Issue) -> list[str]:
        """The addresses, in the record's order."""
        return [report.url for report in instance.other_reports.all()]


class NeighbourSerializer(Shape):
    """A report with the same symptom and another cause."""

    url = serializers.CharField(help_text="Where it was reported.")
    tell = serializers.CharField(help_text="How to tell which of the two it is.")


class Seconds(serializers.IntegerField):
    """A duration in whole seconds."""

    def to_representation(self, value: dt.timedelta) -> int:  # type: ignore[override]
        """Rounded down."""
        return int(value.total_seconds())


class Deleted(serializers.BooleanField):
    """Was it deleted on its host?"""

    def get_attribute(self, instance: Issue) -> bool:
        """Whether the day of its deletion is known."""
        return instance.deleted_at is not None


class CircumstancesSerializer(Shape):
    """Facts about how a fault was found and repaired; null where one is not known."""

    found_by = Stated(help_text=f"Who noticed it first: {listed(FoundBy)}.")
    reproduced_with = Stated(help_text=f"The least that shows it: {listed(ReproducedWith)}.")
    fix_tested_by = Stated(help_text=f"How what cures it was tested: {listed(FixTestedBy)}.")
    told_by = Stated(help_text=f"Whether the failing run's own output tells the cause: {listed(ToldBy)}.")
    reach = Stated(help_text=f"Whether cause and repair lie in one component: {listed(Reach)}.")


class FrameworkRefSerializer(Shape):
    """A framework, in short."""

    slug = serializers.CharField(help_text="Slug.")
    name = serializers.CharField(help_text="Name.")


class IssueSerializer(Shape):
    """One report: what it is about, what caused it, what fixed it, and where that can be read."""

    id = serializers.IntegerField(help_text="Id of the issue in this database; never changes.")
    public_id = Stated(help_text="Such as `FB-000860`, the same on every server; null where nobody described it.")
    url = serializers.URLField(help_text="The original issue's address.")
    page = PageAddress()
    short_name = serializers.CharField(help_text=f"Such as `{example.NAME}`.")
    framework = FrameworkRefSerializer(source="repository.framework", help_text="Its framework.")
    host = serializers.ChoiceField(choices=Host.choices, source="repository.host", help_text="Where it lives.")
    repository = serializers.CharField(source="repository.full_name", help_text="Owner and name of the repository.")
    ref = serializers.CharField(help_text="The host's number or code.")
    kind = serializers.ChoiceField(choices=Kind.choices, help_text="Whether it is known to be an issue.")
    title = serializers.CharField(source="display_title", help_text="Our own title, else the host's.")
    host_title = Stated(source="shown_title", help_text="Title as mirrored from the host, secrets removed.")
    is_curated = serializers.BooleanField(help_text="Does Faultbook describe it?")
    summary = Stated(help_text="What goes wrong and how it shows.")
    fix_line = Stated(help_text="What to do now, in one sentence; null when not stated.")
    snippet = Stated(help_text="Lines to paste for it; null where there are none.")
    recognise = serializers.ListField(child=serializers.CharField(), help_text="Short error signatures.")
    no_line = Stated(help_text="Why there is no error signature; null where there is one, or the reason is not stated.")
    also_seen = serializers.ListField(
        child=serializers.CharField(),
        help_text="Other faces of the fault: follow-on lines, exit codes, everyday words.",
    )
    resolution = Stated(help_text="What fixed it; null when not stated.")
    workaround = Stated(help_text="What to do until then; null when not stated.")
    certainty = Stated(
        help_text="`confirmed`, `likely` or `unsettled`: cause and fix as a whole; null when not stated."
    )
    inferred = serializers.ListField(
        child=serializers.CharField(), help_text="Claims that follow from the thread and that no evidence states."
    )
    severity = Stated(
        help_text="`blocks`, `wrong-result`, `data-loss`, `degrades` or `cosmetic`; null when not stated."
    )
    circumstances = CircumstancesSerializer(source="*", help_text="How it was found, reproduced, tested and told.")
    models = serializers.ListField(
        source="model_names", child=serializers.CharField(), help_text="Models that the fault needs."
    )
    layout = Stated(help_text="The parallel layout, where it matters; else null.")
    labels = HouseLabels(help_text="Labels by axis of the house codebook: symptom, root cause, fix pattern ...")
    study_labels = StudyLabels(help_text="Labels in studies' own categories, by scheme and axis.")
    suggestions = Suggestions(
        help_text="What rules suggest where nobody has answered, by axis; checked by nobody and in no count."
    )
    fixes = IssueFixSerializer(many=True, help_text="What closed it.")
    affected_versions = serializers.ListField(child=serializers.CharField(), help_text="Versions that show it.")
    fixed_version = Stated(help_text="First version with the fix; null when not stated.")
    state = serializers.ChoiceField(choices=State.choices, help_text="Open or closed on its host.")
    state_reason = Stated(help_text="Why it is closed, as the host puts it, such as `completed`; null when not stated.")
    deleted = Deleted(help_text="Has its host deleted it? What is known of it is kept.")
    moved_to = Stated(help_text="Where its host moved it, when it is kept apart from there; else null.")
    opened_at = serializers.DateTimeField(allow_null=True, help_text="When it was opened (UTC).")
    closed_at = serializers.DateTimeField(allow_null=True, help_text="When it was closed (UTC).")
    host_updated_at = serializers.DateTimeField(allow_null=True, help_text="Last change on its host, as mirrored.")
    open_seconds = Seconds(source="open_duration", allow_null=True, help_text="Seconds from opening to closing.")
    comment_count = serializers.IntegerField(allow_null=True, help_text="Comments on its host.")
    reaction_count = serializers.IntegerField(allow_null=True, help_text="Reactions on its host.")
    host_labels = serializers.ListField(child=serializers.CharField(), help_text="The host's own labels.")
    author_association = Stated(help_text="The reporter's role on the host, such as `CONTRIBUTOR`.")
    is_hard = serializers.BooleanField(
        allow_null=True, help_text="Open for more than 30 days with at least 10 comments; null when not known."
    )
    evidence = EvidenceSerializer(many=True, help_text="Links that our claims rest on.")
    same_as = OtherReports(help_text="Other reports of this fault, which this record answers as well.")
    neighbours = NeighbourSerializer(many=True, help_text="Reports that look the same and have another cause.")
    related = Relatives(help_text="Duplicates and relatives.")
    read_on = serializers.DateField(allow_null=True, help_text="Day on which the thread was read.")
    read_extent = Stated(help_text="How much of the thread was read.")
    checked_on = serializers.DateField(allow_null=True, help_text="Day on which another reader checked the record.")
    checked_extent = Stated(help_text="How much of the thread that reader read.")


class CommentSerializer(Shape):
    """A comment below an issue, as mirrored from its host."""

    id = serializers.IntegerField(help_text="Id of the comment.")
    ref = Stated(help_text="The host's number of the comment; null when not known.")
    author = Stated(help_text="Name of the account on the host; null when it is gone.")
    author_association = Stated(help_text="The author's role on the host, such as `MEMBER`.")
    body = Stated(
        source="shown_body",
        help_text="The text as mirrored from the host, in Markdown, secrets removed; null when there is none.",
    )
    created_at = serializers.DateTimeField(help_text="When it was written (UTC).")
    updated_at = serializers.DateTimeField(help_text="When it was changed last (UTC).")


class IssueDetailSerializer(IssueSerializer):
    """One report with its text as mirrored, and how what is said of it became known."""

    became_known = Chains(help_text="How answers of labeling projects became known; empty where there are none.")
    two_readings = TwoReadingsSerializer(
        allow_null=True, default=None, help_text="How a curated record's labels were made; null where it was read once."
    )

    body = Stated(
        source="shown_body",
        help_text="The description as mirrored from the host, in Markdown, secrets removed; null when not mirrored.",
    )
