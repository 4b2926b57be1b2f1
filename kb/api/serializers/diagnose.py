"""The shapes of a diagnosis and its job, for the documentation: the data comes from `kb.diagnose.answer` as it is.

tests/kb/diagnose/test_shape.py holds real diagnoses against them.
"""

from typing import Any

from rest_framework import serializers

from kb.api.serializers.base import Shape
from kb.core.diagnosis.report import CANCELLED, FAILURE, HEALTHY, NO_EVIDENCE
from kb.models import DiagnosisJob

SCORE = "From 0 to 1."


def _sentences(help_text: str) -> serializers.ListField:
    return serializers.ListField(child=serializers.CharField(), help_text=help_text)


class NearbyLineSerializer(Shape):
    """A line around one that matters."""

    line = serializers.IntegerField(min_value=1, help_text="Physical line, from 1.")
    text = serializers.CharField(help_text="The line, cut where it is very long.", allow_blank=True)


class DiagnosedLineSerializer(Shape):
    """A line that matters."""

    file = serializers.CharField(help_text="The file's name, within an archive with the archive's before it.")
    line = serializers.IntegerField(min_value=1, help_text="Physical line, from 1.")
    text = serializers.CharField(help_text="The line, cut where it is very long.", allow_blank=True)
    role = serializers.CharField(help_text="What the line is to the failure, such as `root`, `cascade`, `teardown`.")
    score = serializers.FloatField(help_text="How much speaks for it; it means something within one diagnosis only.")
    signal = serializers.CharField(allow_null=True, help_text="The signal of the catalogue that knows it.")
    indicated = serializers.BooleanField(help_text="It is of what failed first, not only near it.")
    why = _sentences("What speaks for and against it.")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """With `context`, which serializers have another use for."""
        around = NearbyLineSerializer(many=True, help_text="Up to three lines before and after, for the first lines.")
        return {**super().get_fields(), "context": around}


class DiagnosedNodeSerializer(Shape):
    """A node that may be at fault."""

    name = serializers.CharField(help_text="Its name in the log.")
    score = serializers.FloatField(min_value=0, max_value=1, help_text=SCORE)
    why = serializers.CharField(help_text="What speaks for it.")


class DiagnosedRankSerializer(Shape):
    """A rank that may be at fault."""

    rank = serializers.IntegerField(min_value=0, help_text="Global rank.")
    score = serializers.FloatField(min_value=0, max_value=1, help_text=SCORE)
    why = serializers.CharField(help_text="What speaks for it.")


class CauseProbabilitySerializer(Shape):
    """How often issues with the run's symptom have this cause."""

    value = serializers.FloatField(min_value=0, max_value=1, help_text=SCORE)
    low = serializers.FloatField(min_value=0, max_value=1, help_text="Low end of the 95 % interval (Wilson).")
    high = serializers.FloatField(min_value=0, max_value=1, help_text="High end of it.")
    n = serializers.IntegerField(min_value=1, help_text="How many issues with the symptom it rests on.")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """With `source`, which fields have another use for."""
        source = serializers.CharField(help_text="Who counted; sources are never pooled.")
        return {**super().get_fields(), "source": source}


class DiagnosedCauseSerializer(Shape):
    """A likely root cause."""

    code = serializers.CharField(help_text="Code in the house codebook.")
    name = serializers.CharField(help_text="Its name; the code, where the knowledge base was not asked.")
    url = serializers.CharField(allow_blank=True, help_text="Path of its page, or empty.")
    probability = CauseProbabilitySerializer(allow_null=True, help_text="Null where nobody counted it.")
    likelihood = serializers.FloatField(
        min_value=0,
        max_value=1,
        help_text="Share of the signals' scores, no frequency; 0 where only staff confirmed it before.",
    )
    why = serializers.CharField(help_text="What speaks for it.")


class TimelineEventSerializer(Shape):
    """Lines that stand out, close to each other."""

    at = serializers.FloatField(help_text="Where on the scale.")
    role = serializers.ChoiceField(choices=("first", "root", "follows", "other"), help_text="What they are.")
    file = serializers.CharField(help_text="File of the first of them.")
    line = serializers.IntegerField(min_value=1, help_text="Line of the first of them.")
    count = serializers.IntegerField(min_value=1, help_text="How many there are.")


class TimelineRowSerializer(Shape):
    """What somebody wrote that stands out."""

    name = serializers.CharField(allow_blank=True, help_text="Empty for the row of all the others.")
    kind = serializers.ChoiceField(choices=("rank", "node", "file"), help_text="What the name is of.")
    members = serializers.IntegerField(min_value=1, help_text="How many the row stands for.")
    first = serializers.FloatField(help_text="Where it is first known to have written.")
    last = serializers.FloatField(help_text="Where it is last known to have written.")
    lines = serializers.IntegerField(min_value=0, help_text="How many lines it wrote.")
    events = TimelineEventSerializer(many=True, help_text="At most 400 in all rows.")
    behind = serializers.BooleanField(help_text="It stopped at an earlier iteration than the others.")
    suspect = serializers.BooleanField(help_text="It is among the suspects.")


class PauseSerializer(Shape):
    """A stretch without a line."""

    until = serializers.FloatField(help_text="Where it ends.")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """With `from`, which Python keeps for itself."""
        return {"from": serializers.FloatField(help_text="Where it begins."), **super().get_fields()}


class TimelineSerializer(Shape):
    """What happened when, and to whom."""

    unit = serializers.ChoiceField(
        choices=("seconds", "lines"), help_text="The scale: seconds since 1970, or lines where no clock is written."
    )
    until = serializers.FloatField(help_text="Where it ends.")
    onset = serializers.FloatField(allow_null=True, help_text="Where what failed first stands.")
    bins = serializers.IntegerField(help_text="Into how many parts the scale is divided.")
    pauses = PauseSerializer(many=True, help_text="The longest stretches without a line.")
    rows = TimelineRowSerializer(many=True, help_text="At most 24.")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """With `from`, which Python keeps for itself."""
        return {"from": serializers.FloatField(help_text="Where it begins."), **super().get_fields()}


class KnownIssueSerializer(Shape):
    """A known issue that is like the failure."""

    title = serializers.CharField(help_text="Its title.")
    url = serializers.CharField(help_text="Path of its page here.")
    source_url = serializers.CharField(help_text="Where it was reported.")
    why = serializers.CharField(help_text="What speaks for it.")
    score = serializers.FloatField(min_value=0, max_value=1, help_text=SCORE)
    resolution = serializers.CharField(allow_blank=True, help_text="What fixed it, in short; empty where not known.")
    fix_url = serializers.CharField(allow_blank=True, help_text="Its fix, or empty.")


class FittingPlaybookSerializer(Shape):
    """A playbook for faults with such causes."""

    name = serializers.CharField(help_text="The fix pattern.")
    url = serializers.CharField(help_text="Path of its page here.")
    why = serializers.CharField(help_text="How often it fixed such faults.")


class SignatureSerializer(Shape):
    """What failed first, the same in every run with this failure."""

    version = serializers.IntegerField(help_text="Of the rule that makes keys: those of two versions differ.")
    key = serializers.CharField(help_text="The same for the same failure.")
    text = serializers.CharField(help_text="What the key was made from, for people.")


class DiagnosisSerializer(Shape):
    """A diagnosis."""

    schema = serializers.IntegerField(help_text="Version of this shape; raised when a key changes its meaning.")
    signals_version = serializers.IntegerField(help_text="Version of the catalogue of signals.")
    verdict = serializers.ChoiceField(
        choices=(FAILURE, CANCELLED, HEALTHY, NO_EVIDENCE), help_text="What the logs show of the run."
    )
    sentence = serializers.CharField(help_text="The verdict in a sentence.")
    lines = DiagnosedLineSerializer(many=True, help_text="The lines that matter, best first.")
    nodes = DiagnosedNodeSerializer(many=True, help_text="Suspect nodes, most suspect first.")
    ranks = DiagnosedRankSerializer(many=True, help_text="Suspect ranks, most suspect first.")
    stage = serializers.CharField(allow_null=True, help_text="Where in the run it failed, such as `init` or `train`.")
    iteration = serializers.IntegerField(allow_null=True, help_text="The iteration that was under way.")
    symptom = serializers.CharField(allow_null=True, help_text="Symptom of the run, such as `crash` or `hang`.")
    symptom_code = serializers.CharField(allow_null=True, help_text="The symptom's code in the house codebook.")
    causes = DiagnosedCauseSerializer(many=True, help_text="Likely causes, best first.")
    checks = _sentences("What to check next.")
    recorded = _sentences("What Flight Recorder dumps show.")
    unknown = _sentences("What was not read, or what the logs cannot tell.")
    stats = serializers.DictField(
        child=serializers.IntegerField(), help_text="What was read: files, lines, templates, emitters."
    )
    signature = SignatureSerializer(allow_null=True, help_text="What failed first; null without a failure.")
    issues = KnownIssueSerializer(many=True, help_text="At most eight known issues like it, the nearest first.")
    playbooks = FittingPlaybookSerializer(many=True, help_text="At most three playbooks that fit the causes.")
    timeline = TimelineSerializer(allow_null=True, help_text="What happened when; null where nothing tells.")


class DiagnosisFileSerializer(Shape):
    """A file of a job."""

    name = serializers.CharField(help_text="Its name.")
    bytes = serializers.IntegerField(min_value=0, help_text="Its size, as it was sent.")
    healthy = serializers.BooleanField(help_text="It is of a run that went well.")


class DiagnosisJobSerializer(Shape):
    """A diagnosis that takes longer than an answer may."""

    id = serializers.UUIDField(help_text="Number of the job; nobody can guess it, so keep it to yourself.")
    url = serializers.URLField(help_text="Where to look, and what to delete.")
    state = serializers.ChoiceField(
        choices=DiagnosisJob.State.choices,
        help_text="How far it is. `refused`: it cannot be diagnosed as it was sent. `failed`: the fault is ours.",
    )
    progress = serializers.FloatField(min_value=0, max_value=1, help_text="Share of what was sent that was taken in.")
    bytes_given = serializers.IntegerField(min_value=0, help_text="Bytes that were sent.")
    bytes_taken = serializers.IntegerField(min_value=0, help_text="Bytes of it that were taken in.")
    bytes_read = serializers.IntegerField(min_value=0, help_text="Bytes of text that were read, unpacked.")
    files = DiagnosisFileSerializer(many=True, help_text="What was sent.")
    created_at = serializers.DateTimeField(help_text="When it was asked for.")
    finished_at = serializers.DateTimeField(allow_null=True, help_text="When it ended.")
    expires_at = serializers.DateTimeField(help_text="When it will be gone.")
    error = serializers.CharField(allow_null=True, help_text="Why there is no result, and what to do.")
    result = DiagnosisSerializer(allow_null=True, help_text="The diagnosis, once it is done.")
