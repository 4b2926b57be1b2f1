"""The shapes of a diagnosis and its job, for the documentation: the data comes from `kb.diagnoses.answering` as it is.

tests/diagnoses/test_shape.py holds real diagnoses against them.
"""

from rest_framework import serializers

from kb.api.serializers.base import Shape
from kb.diagnosis.report import CANCELLED, FAILURE, HEALTHY, NO_EVIDENCE
from kb.models import DiagnosisJob

SCORE = "From 0 to 1."


def _sentences(help_text: str) -> serializers.ListField:
    return serializers.ListField(child=serializers.CharField(), help_text=help_text)


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


class DiagnosedCauseSerializer(Shape):
    """A likely root cause."""

    code = serializers.CharField(help_text="Code in the house codebook.")
    likelihood = serializers.FloatField(
        min_value=0, max_value=1, help_text="Share of the signals' scores; no frequency."
    )
    why = serializers.CharField(help_text="What speaks for it.")


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
    causes = DiagnosedCauseSerializer(many=True, help_text="Likely causes, likeliest first.")
    checks = _sentences("What to check next.")
    recorded = _sentences("What Flight Recorder dumps show.")
    unknown = _sentences("What was not read, or what the logs cannot tell.")
    stats = serializers.DictField(
        child=serializers.IntegerField(), help_text="What was read: files, lines, templates, emitters."
    )


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
