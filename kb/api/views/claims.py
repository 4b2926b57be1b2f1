"""What studies claim, beside our numbers."""

from collections.abc import Collection, Mapping

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from kb.api import parameters as declared
from kb.api.base import ReadViewSet
from kb.api.paging import ListPaging
from kb.api.problems import InvalidParametersError
from kb.api.serializers.claims import VERDICTS, ClaimSerializer
from kb.charts.claims import Claim, claims
from kb.codebook.claims import KINDS, claims_by_study
from kb.selectors import crosswalks


@extend_schema_view(
    list=extend_schema(
        summary="List claims",
        description=(
            "What published studies found, ask for and advise, each with what was printed, the same number counted "
            "now over the issues here with its 95 % interval, and whether it holds."
        ),
    ),
    retrieve=extend_schema(summary="One claim", description="One claim of one study."),
)
class ClaimViewSet(ReadViewSet):
    """Claims."""

    serializer_class = ClaimSerializer
    pagination_class = ListPaging
    paging_parameters = (declared.PAGE, declared.PAGE_SIZE_PARAMETER)
    list_parameters = (
        OpenApiParameter("study", {"type": "string", "enum": list(claims_by_study())}, description="Of this study."),
        OpenApiParameter("kind", {"type": "string", "enum": list(KINDS)}, description="Only claims of this kind."),
        OpenApiParameter("verdict", {"type": "string", "enum": list(VERDICTS)}, description="Only with this verdict."),
    )
    path_parameters = (
        OpenApiParameter("study", str, declared.PATH, description="Slug of the study."),
        OpenApiParameter("slug", str, declared.PATH, description="Slug of the claim."),
    )
    example_name = "claim"

    def list(self, request: Request) -> Response:
        """One page of the claims, study by study. Raises `InvalidParametersError`."""
        studies = {study.slug: study for study in crosswalks.studies()}
        asked = _asked(request.query_params, {"study": studies, "kind": KINDS, "verdict": VERDICTS})
        found = []
        for claim in claims([studies[asked["study"]]] if asked["study"] else studies.values()):
            if asked["kind"] in ("", claim.file.kind) and asked["verdict"] in ("", claim.verdict_code):
                found.append(claim)
        return self.get_paginated_response(self.get_serializer(self.paginate_queryset(found), many=True).data)

    def get_object(self) -> Claim:
        """The claim that the address names."""
        for claim in claims(study for study in crosswalks.studies() if study.slug == self.kwargs["study"]):
            if claim.slug == self.kwargs["slug"]:
                return claim
        raise Http404


def _asked(params: Mapping[str, str], known: Mapping[str, Collection[str]]) -> dict[str, str]:
    """The value of each parameter, empty where it is not given. Raises `InvalidParametersError`."""
    asked = {name: params.get(name, "") for name in known}
    errors = {
        name: [f"“{asked[name][:60]}” is not known here. Choose one of: {', '.join(values)}."]
        for name, values in known.items()
        if asked[name] and asked[name] not in values
    }
    if errors:
        raise InvalidParametersError(errors)
    return asked
