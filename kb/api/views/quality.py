"""How good Faultbook is: our own measures."""

from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from kb.api import parameters as declared
from kb.api.base import ReadView
from kb.api.examples import JsonObject
from kb.api.serializers.quality import QualitySerializer
from kb.core.quality.figures import SUBJECTS, Subject, measured
from kb.core.quality.published import published
from kb.core.quality.wording import wording
from kb.http.site import absolute


class QualityView(ReadView):
    """Every measured figure with n and interval."""

    serializer_class = QualitySerializer
    own_parameters = (
        OpenApiParameter("of", {"type": "string", "enum": list(SUBJECTS)}, description="Only this part."),
    )
    example_name = "quality"

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
        wanted = declared.chosen(request, {"of": SUBJECTS})["of"]
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
