"""The shape of an error, for the documentation; `kb.api.problems` writes it."""

from typing import Any

from rest_framework import serializers


class ParameterFaultSerializer(serializers.Serializer[Any]):
    """What is wrong with one query parameter."""

    parameter = serializers.CharField(help_text="Name of the query parameter.")
    detail = serializers.CharField(help_text="What is wrong with it, and what would be right.")


class ProblemSerializer(serializers.Serializer[Any]):
    """An error in the form of RFC 9457."""

    type = serializers.CharField(
        help_text="The path of a page about this kind of error; `about:blank`: the status says it all."
    )
    title = serializers.CharField(help_text="The status in words.")
    status = serializers.IntegerField(help_text="The HTTP status.")
    detail = serializers.CharField(help_text="What happened, in a sentence.")
    # The stubs know the name from forms only; as a declared key it never reaches an instance.
    errors = ParameterFaultSerializer(many=True, required=False, help_text="The wrong parameters.")  # type: ignore[assignment]
    request_id = serializers.CharField(required=False, help_text="What to quote to the operator; also `X-Request-ID`.")
