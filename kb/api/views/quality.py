"""How good Faultbook is: our own measures."""

from collections.abc import Iterable

from django.urls import reverse
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from kb.api import parameters as declared
from kb.api.base import ReadView
from kb.api.examples import JsonObject, example
from kb.api.problems import InvalidParametersError
from kb.api.serializers.quality import QualitySerializer
from kb.core.quality.figures import SUBJECTS, Subject, measured
from kb.core.quality.published import published
from kb.core.quality.wording import wording
from kb.http.site import absolute


class QualityView(ReadView):
    """Every measured figure with n and interval."""

    serializer_class = QualitySerializer

    def parameters(self) -> Iterable[OpenApiParameter]:
        """One part alone."""
        yield OpenApiParameter("of", {"type": "string", "enum": list(SUBJECTS)}, description="Only this part.")
        yield declared.IF_NONE_MATCH

    def examples(self) -> Iterable[OpenApiExample]:
        """A real answer, its lists cut to the first."""
        return (example("quality", self.serializer_class.keys()),)

    @extend_schema(
        operation_id="quality",
        summary="How good is Faultbook?",
        description=(
            "Our own measures of diagnosis, known issues, search, labels and suggestions, each with n and its 95 % "
            "interval, beside baselines and what others published. Nothing was tuned on `held_out` cases."
        ),
        tags=["about"],
    )
    def get(self, request: Request) -> Response:
        """The figures. Raises `InvalidParametersError`."""
        wanted = request.query_params.get("of", "")
        if wanted and wanted not in SUBJECTS:
            raise InvalidParametersError({"of": [f"“{wanted[:60]}” is not known here. Choose: {', '.join(SUBJECTS)}."]})
        answer = {
            "page": absolute(request, reverse("quality")),
            "subjects": [_subject(of) for of in SUBJECTS if wanted in ("", of)],
            "published": published(),
            "not_measured": wording().not_measured,
        }
        return Response(QualitySerializer(answer, context={"request": request}).data)


def _subject(of: Subject) -> JsonObject:
    words, found = wording().subjects[of], measured(of)
    return {
        "of": of, "title": words.title, "how": words.how, "command": words.command,
        "measured_on": found.measured_on, "version": found.version, "figures": found.figures,
    }  # fmt: skip
