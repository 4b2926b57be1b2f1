"""Reading: projects, codebooks, rounds, votes, agreement. Labeling itself is `work`, proposals are `proposals`."""

from typing import Any

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from kb.api.paging import whole_number
from kb.api.parameters import PAGING
from kb.api.problems import InvalidParametersError
from labeling.api.base import PersonView, ProjectView
from labeling.api.schema import answers, pages_of
from labeling.api.shapes.projects import (
    CodebookSerializer,
    ProjectSerializer,
    RoundDetailSerializer,
    RoundSerializer,
)
from labeling.api.shapes.results import AxisAgreementSerializer
from labeling.api.shapes.votes import VoteSerializer
from labeling.selectors import codebook_history, team
from labeling.selectors.agreement import agreement_of
from labeling.selectors.round_lists import known_rounds
from labeling.selectors.vote_records import vote_records

MOST_NUMBER = 32_767
ROUND_NUMBER = OpenApiParameter(
    "round", {"type": "integer", "minimum": 1, "maximum": MOST_NUMBER}, description="Only votes of this round."
)
OWN = OpenApiParameter("own", {"type": "string", "enum": ["true", "false"]}, description="`true`: only your votes.")


class ProjectsView(PersonView):
    """The projects that the reader is a member of."""

    query_parameters = PAGING

    @pages_of(ProjectSerializer, "Your projects", "The projects that you are a member of.")
    def get(self, request: Request) -> Response:  # noqa: ARG002
        """One page of them, by name."""
        return self.page_of(team.memberships(user=self.person), ProjectSerializer)


class ProjectDetailView(ProjectView):
    """One project."""

    @answers(ProjectSerializer, "One project", "A project, and what you may do in it.")
    def get(self, request: Request, **_where: Any) -> Response:  # noqa: ARG002
        """The project as the member sees it."""
        return self.shown(self.member, ProjectSerializer)


class CodebookView(ProjectView):
    """One codebook."""

    @answers(CodebookSerializer, "One codebook", "A numbered codebook with its axes, nodes and definitions.")
    def get(self, request: Request, number: int, **_where: Any) -> Response:  # noqa: ARG002
        """The codebook of this number."""
        codebook = codebook_history.find(project_id=self.member.project_id, number=number)
        if codebook is None:
            raise Http404
        return self.shown(codebook, CodebookSerializer)


class RoundsView(ProjectView):
    """The rounds of a project."""

    query_parameters = PAGING

    @pages_of(RoundSerializer, "Rounds", "The rounds of a project; those being prepared are for leads.")
    def get(self, request: Request, **_where: Any) -> Response:  # noqa: ARG002
        """One page of them, by number."""
        return self.page_of(known_rounds(member=self.member), RoundSerializer)


class RoundView(ProjectView):
    """One round."""

    @answers(RoundDetailSerializer, "One round", "A round with the guidelines it is labelled by.")
    def get(self, request: Request, **_where: Any) -> Response:  # noqa: ARG002
        """The round of this number."""
        return self.shown(self.round_, RoundDetailSerializer)


class AgreementView(ProjectView):
    """The agreement of a round."""

    @answers(
        AxisAgreementSerializer(many=True),
        "Agreement of a round",
        "How far the votes that you may see agree, axis by axis, with bootstrap intervals. While a round is blind, an "
        "annotator may see only their own votes, and nothing can be told from them.",
    )
    def get(self, request: Request, **_where: Any) -> Response:  # noqa: ARG002
        """One report for each axis."""
        reports = agreement_of(member=self.member, round_=self.round_)
        return Response(AxisAgreementSerializer(reports, many=True).data)


class VotesView(ProjectView):
    """The votes that the reader may see now: their own, and others' once the issue is released to them."""

    query_parameters = (*PAGING, ROUND_NUMBER, OWN)

    @pages_of(
        VoteSerializer,
        "Votes",
        "Your own votes, and others' on issues that are released to you, in the order they were cast.",
    )
    def get(self, request: Request, **_where: Any) -> Response:
        """One page of them."""
        number = self._round_number(request) if "round" in request.query_params else None
        own = request.query_params.get("own", "false")
        if own not in ("true", "false"):
            raise InvalidParametersError({"own": ["Choose one of: true, false."]})
        votes = vote_records(member=self.member, round_number=number, own_only=own == "true")
        return self.page_of(votes, VoteSerializer)

    def _round_number(self, request: Request) -> int:
        """The `round` of the query. Raises InvalidParametersError with the rounds that the reader may know of."""
        number = whole_number(request.query_params, "round", default=1, largest=MOST_NUMBER)
        known = [round_.number for round_ in known_rounds(member=self.member)]
        if number not in known:
            listed = ", ".join(map(str, known)) or "none yet"
            raise InvalidParametersError({"round": [f"There is no round {number} here. Known are: {listed}."]})
        return number
