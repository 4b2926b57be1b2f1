"""Agreement."""

from typing import Any

from rest_framework import serializers


class IntervalSerializer(serializers.Serializer[Any]):
    """A bootstrap interval of 95 %."""

    low = serializers.FloatField(allow_null=True, help_text="Lower bound; null where there is none.")
    high = serializers.FloatField(allow_null=True, help_text="Upper bound; null where there is none.")
    samples = serializers.IntegerField(help_text="How many times issues were drawn again.")
    undefined = serializers.IntegerField(help_text="In how many of these the coefficient has no value.")
    reason = serializers.CharField(help_text="Why there are no bounds; else empty.")


class CoefficientSerializer(serializers.Serializer[Any]):
    """A coefficient, or why it cannot be told."""

    key = serializers.CharField(help_text="Machine name.")
    name = serializers.CharField(help_text="Display name.")
    value = serializers.FloatField(allow_null=True, help_text="Its value; null where it is undefined.")
    reason = serializers.CharField(help_text="Why it is undefined; else empty.")
    observed = serializers.FloatField(allow_null=True, help_text="Observed agreement, 0 to 1.")
    expected = serializers.FloatField(allow_null=True, help_text="Agreement by chance, 0 to 1.")
    units = serializers.IntegerField(help_text="Issues that count.")
    votes = serializers.IntegerField(help_text="Votes that count.")
    missing = serializers.IntegerField(help_text="Votes that are missing on these issues.")
    interval = IntervalSerializer(allow_null=True, help_text="Its bootstrap interval; null where none was asked for.")


class NodeAgreementSerializer(serializers.Serializer[Any]):
    """How far annotators agree about one node."""

    code = serializers.CharField(help_text="Code of the node.")
    votes = serializers.IntegerField(help_text="Votes for it.")
    units = serializers.IntegerField(help_text="Issues with at least one vote for it.")
    alpha = CoefficientSerializer(help_text="Krippendorff's alpha, this node or not.")
    ac1 = CoefficientSerializer(help_text="Gwet's AC1, this node or not.")


class AxisAgreementSerializer(serializers.Serializer[Any]):
    """The agreement on one axis, over the votes that you may see."""

    axis = serializers.CharField(help_text="Code of the axis.")
    units = serializers.IntegerField(help_text="Issues with votes.")
    votes = serializers.IntegerField(help_text="Votes.")
    coefficients = CoefficientSerializer(many=True, help_text="Over all annotators.")
    nodes = NodeAgreementSerializer(many=True, help_text="Node by node.")
    paradox = serializers.CharField(help_text="Why a kappa is low where people agree; else empty.")
