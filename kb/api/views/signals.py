"""The signals that logs are searched for."""

from collections.abc import Mapping, Sequence

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework.request import Request

from kb.api import parameters as declared
from kb.api.base import ListedViewSet
from kb.api.problems import InvalidParametersError
from kb.api.serializers.signals import SignalSerializer
from kb.core.diagnosis.signals.catalogue import catalogue
from kb.core.diagnosis.signals.format import Signal
from kb.core.diagnosis.signals.search import STACKS, families, matching

MOST_CHARACTERS = 200


def _choice(name: str, values: Mapping[str, object], description: str) -> OpenApiParameter:
    return OpenApiParameter(name, {"type": "string", "enum": list(values)}, description=description)


@extend_schema_view(
    list=extend_schema(
        summary="List signals",
        description="The kinds of log lines that a diagnosis knows: what each means, what to do, likely causes.",
    ),
    retrieve=extend_schema(summary="One signal", description="One signal by its code, as a diagnosis names it."),
)
class SignalViewSet(ListedViewSet):
    """Signals."""

    serializer_class = SignalSerializer
    list_parameters = (
        OpenApiParameter(
            "q", {"type": "string", "maxLength": MOST_CHARACTERS}, description="Words that the signal must have."
        ),
        _choice("stack", STACKS, "Only signals of this part of the stack."),
        _choice("family", families(), "Only signals of this family."),
    )
    path_parameters = (OpenApiParameter("code", str, declared.PATH, description="Code of the signal."),)
    example_name = "signal"

    def found(self, request: Request) -> Sequence[Signal]:
        """The signals with these words."""
        words = request.query_params.get("q", "")
        if len(words) > MOST_CHARACTERS:
            raise InvalidParametersError({"q": [f"Give at most {MOST_CHARACTERS} characters."]})
        asked = declared.chosen(request, {"stack": STACKS, "family": families()})
        return matching(words, asked["stack"], asked["family"])

    def get_object(self) -> Signal:
        """The signal that the address names."""
        signal = catalogue().by_code.get(self.kwargs["code"])
        if signal is None:
            raise Http404
        return signal
