"""Issues, with labels, fixes and relatives inline, and fixes with their issues."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from rest_framework import serializers

from kb.api.serializers.base import (
    IssueRefSerializer,
    NodeRefSerializer,
    PageAddress,
    Shape,
    SourceRefSerializer,
    Stated,
)
from kb.filters.issues import AXIS_KEYS
from kb.models import Fix, Host, Issue, Kind, Label, Node, Provenance, Source, State
from kb.selectors.issues import became_known, labels_by_axis, suggestions
from kb.starter import example


class LabelSerializer(Shape):
    """One answer on one axis."""

    code = serializers.CharField(source="node.code", help_text="Code of the node.")
    name = serializers.CharField(source="node.name", help_text="Name of the node.")
    source = SourceRefSerializer(help_text="Who holds the label.")  # type: ignore[assignment]
    reason = Stated(help_text="Why, in a line; null when not stated.")
    page = PageAddress(source="node", help_text="Our page about the node.")


class HouseLabels(serializers.DictField):
    """The labels by axis of the house codebook; every axis has its key."""

    child = LabelSerializer(many=True)

    def get_attribute(self, instance: Issue) -> dict[str, Sequence[Label]]:
        """Labels grouped by axis."""
        grouped: dict[str, Sequence[Label]] = dict.fromkeys(AXIS_KEYS.values(), ())
        return {**grouped, **{row.axis.code: row.labels for row in labels_by_axis(instance, house=True)}}


class Suggestions(HouseLabels):
    """What rules suggest, by axis of the house codebook; every axis has its key."""

    def get_attribute(self, instance: Issue) -> dict[str, Sequence[Label]]:
        """Suggestions grouped by axis."""
        grouped: dict[str, Sequence[Label]] = dict.fromkeys(AXIS_KEYS.values(), ())
        return {**grouped, **{row.axis.code: row.labels for row in suggestions(instance)}}


class StudyLabels(serializers.DictField):
    """The labels that studies gave in their own words, by scheme and axis."""

    child = serializers.DictField(child=LabelSerializer(many=True))

    def get_attribute(self, instance: Issue) -> dict[str, dict[str, Sequence[Label]]]:
        """Labels grouped by scheme, then by axis."""
        found: dict[str, dict[str, Sequence[Label]]] = {}
        for row in labels_by_axis(instance, house=False):
            found.setdefault(row.axis.scheme.slug, {})[row.axis.code] = row.labels
        return found


class IssueFixSerializer(Shape):
    """What closed an issue."""

    id = serializers.IntegerField(help_text="Number of the fix here.")
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
    id = serializers.IntegerField(source="issue.id", allow_null=True, help_text="Number of the issue here.")
    title = serializers.CharField(source="issue.display_title", allow_null=True, help_text="Title.")
    page = PageAddress(source="issue", allow_null=True)


class Relatives(serializers.ListField):
    """Duplicates and relatives, linked here or only named."""

    child = RelativeSerializer()

    def get_attribute(self, instance: Issue) -> list[Relative]:
        """The named addresses first, then what else is linked."""
        linked = {issue.url: issue for issue in instance.related.all()}
        return [Relative(url, linked.get(url)) for url in dict.fromkeys([*instance.related_urls, *linked])]


class Seconds(serializers.IntegerField):
    """A duration in whole seconds."""

    def to_representation(self, value: dt.timedelta) -> int:  # type: ignore[override]
        """The duration's seconds."""
        return int(value.total_seconds())


class Deleted(serializers.BooleanField):
    """Was it deleted on its host?"""

    def get_attribute(self, instance: Issue) -> bool:
        """Whether we found that it was."""
        return instance.deleted_at is not None


class FrameworkRefSerializer(Shape):
    """A framework, in short."""

    slug = serializers.CharField(help_text="Slug.")
    name = serializers.CharField(help_text="Name.")


class IssueSerializer(Shape):
    """One report: what it is about, what caused it, what fixed it, and where that can be read."""

    id = serializers.IntegerField(help_text="Number of the issue here; never changes.")
    url = serializers.URLField(help_text="The original issue's address.")
    page = PageAddress()
    short_name = serializers.CharField(help_text=f"Such as `{example.NAME}`.")
    framework = FrameworkRefSerializer(source="repository.framework", help_text="What it is a fault of.")
    host = serializers.ChoiceField(choices=Host.choices, source="repository.host", help_text="Where it lives.")
    repository = serializers.CharField(source="repository.full_name", help_text="Owner and name of the repository.")
    ref = serializers.CharField(help_text="The host's number or code.")
    kind = serializers.ChoiceField(choices=Kind.choices, help_text="Whether it is known to be an issue.")
    title = serializers.CharField(source="display_title", help_text="Our own title, else the host's.")
    host_title = Stated(source="shown_title", help_text="Title as mirrored from the host, secrets removed.")
    is_curated = serializers.BooleanField(help_text="Have we described it in our own words?")
    summary = Stated(help_text="What goes wrong and how it shows.")
    recognise = serializers.ListField(child=serializers.CharField(), help_text="Short error signatures.")
    resolution = Stated(help_text="What fixed it; null when not stated.")
    workaround = Stated(help_text="What to do until then; null when not stated.")
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
    related = Relatives(help_text="Duplicates and relatives.")
    read_on = serializers.DateField(allow_null=True, help_text="Day on which the thread was read.")
    read_extent = Stated(help_text="How much of the thread was read.")


class CommentSerializer(Shape):
    """A comment below an issue, as mirrored from its host."""

    id = serializers.IntegerField(help_text="Number of the comment here.")
    ref = Stated(help_text="The host's number of the comment; null when not known.")
    author = Stated(help_text="Name of the account on the host; null when it is gone.")
    author_association = Stated(help_text="The author's role on the host, such as `MEMBER`.")
    body = Stated(
        source="shown_body",
        help_text="The text as mirrored from the host, in Markdown, secrets removed; null when there is none.",
    )
    created_at = serializers.DateTimeField(help_text="When it was written (UTC).")
    updated_at = serializers.DateTimeField(help_text="When it was changed last (UTC).")


class VotedAnswerSerializer(Shape):
    """One of the answers that were voted for."""

    answer = serializers.CharField(help_text="The answer in words.")
    votes = serializers.IntegerField(help_text="How many gave it.")


@dataclass(frozen=True)
class Chain:
    """How one answer became known, with the labels that came of it."""

    told: Provenance
    nodes: tuple[Node, ...]
    answers: tuple[dict[str, object], ...]


class ChainSerializer(Shape):
    """How a labeling project came to its answer to one question: from independent votes to the outcome."""

    axis = serializers.CharField(source="told.axis.code", help_text="Axis of the house codebook.")
    nodes = NodeRefSerializer(many=True, help_text="The answer; empty when the report does not tell.")
    report_does_not_tell = serializers.BooleanField(
        source="told.is_undecidable", help_text="Is the answer that the report does not tell?"
    )
    source = SourceRefSerializer(source="told.source", help_text="Who holds the answer.")  # type: ignore[assignment]
    project = serializers.CharField(source="told.project", help_text="Name of the labeling project.")
    round = serializers.CharField(source="told.round", help_text="Name of the round that was voted in.")
    rule = serializers.CharField(source="told.rule", help_text="By what rule votes were to become an answer.")
    codebook = serializers.IntegerField(source="told.codebook", help_text="Version of the project's codebook.")
    votes = serializers.IntegerField(source="told.votes", help_text="How many voted, each blind to the others.")
    support = serializers.IntegerField(source="told.support", help_text="How many of them gave exactly this answer.")
    answers = VotedAnswerSerializer(many=True, help_text="Every answer with its number of votes, the most first.")
    agreement = serializers.FloatField(
        source="told.agreement", allow_null=True, help_text="Share of pairs of votes that are equal; null below two."
    )
    posts = serializers.IntegerField(source="told.posts", help_text="Contributions to the discussion.")
    revised = serializers.IntegerField(source="told.revised", help_text="How many changed their answer in it.")
    how = serializers.ChoiceField(choices=Provenance.How.choices, source="told.how", help_text="What settled it.")
    cause = Stated(
        source="told.cause", help_text="Why votes differed, in the adjudicator's eyes; null when not stated."
    )
    reason = Stated(source="told.reason", help_text="The adjudicator's reason; null when not stated.")
    decided_on = serializers.DateField(source="told.decided_on", help_text="Day of the decision (UTC).")
    confidence = serializers.ChoiceField(
        choices=Source.Confidence.choices, source="told.confidence",
        help_text="How far this answer can be trusted, by the agreement in its round and its own votes.",
    )  # fmt: skip
    is_pilot = serializers.BooleanField(source="told.is_pilot", help_text="Was it decided in a pilot round?")
    is_from_file = serializers.BooleanField(
        source="told.is_from_file", help_text="Were the votes cast elsewhere and imported, so not made blind here?"
    )
    release = Stated(
        source="told.release", help_text="The newest frozen release that holds it; null when there is none."
    )
    people = serializers.ListField(
        source="told.people", child=serializers.CharField(), help_text="Who worked on it and let their names be shown."
    )


class Chains(serializers.ListField):
    """How labeling projects came to their answers, by project and question."""

    child = ChainSerializer()

    def get_attribute(self, instance: Issue) -> list[Chain]:
        """Every answer with the labels that it led to."""
        labels = list(instance.labels.all())
        return [
            Chain(
                told,
                tuple(one.node for one in labels if (one.source_id, one.axis_id) == (told.source_id, told.axis_id)),
                tuple({"answer": answer, "votes": votes} for answer, votes in told.answers),
            )
            for known in became_known(instance)
            for told in known.answers
        ]


class ReadAnswersSerializer(Shape):
    """What two readers of a curated record answered to one question."""

    axis = serializers.CharField(help_text="Axis of the house codebook.")
    first = serializers.ListField(child=serializers.CharField(), help_text="Codes of the record as first written.")
    second = serializers.ListField(child=serializers.CharField(), help_text="Codes of the second, blind reader.")
    why = Stated(help_text="Why what is kept was kept; null where both say the same and no later reading changed it.")


class TwoReadingsSerializer(Shape):
    """Two passes over a curated record by automated readers (language models); its labels are what was settled."""

    read_on = serializers.DateField(help_text="Day of the second reading.")
    read_extent = serializers.CharField(help_text="How much of the thread the second reader saw.")
    is_pilot = serializers.BooleanField(help_text="Was it before the codebook's rules were corrected?")
    answers = ReadAnswersSerializer(many=True, help_text="By axis; those that all left open are not listed.")


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
