"""What studies claim, beside our numbers."""

from collections.abc import Sequence

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework.request import Request

from kb.api import parameters as declared
from kb.api.base import ListedViewSet
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
class ClaimViewSet(ListedViewSet):
    """Claims."""

    serializer_class = ClaimSerializer
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

    def found(self, request: Request) -> Sequence[Claim]:
        """The claims, study by study."""
        studies = {study.slug: study for study in crosswalks.studies()}
        asked = declared.chosen(request, {"study": studies, "kind": KINDS, "verdict": VERDICTS})
        found = []
        for claim in claims([studies[asked["study"]]] if asked["study"] else studies.values()):
            if asked["kind"] in ("", claim.file.kind) and asked["verdict"] in ("", claim.verdict_code):
                found.append(claim)
        return found

    def get_object(self) -> Claim:
        """The claim that the address names."""
        for claim in claims(study for study in crosswalks.studies() if study.slug == self.kwargs["study"]):
            if claim.slug == self.kwargs["slug"]:
                return claim
        raise Http404
