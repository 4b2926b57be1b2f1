"""Reading: projects, codebooks, rounds, votes, agreement. Labeling itself is `work`, proposals are `proposals`."""

from typing import Any

from django.db.models import Prefetch, QuerySet
from django.shortcuts import get_object_or_404
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
from labeling.models import Answer, AnswerNode, Codebook, Evidence, Member, Role, Round, Vote
from labeling.selectors import visible
from labeling.selectors.agreement import agreement_of

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
        members = Member.objects.filter(user=self.person, left_at=None).select_related("project")
        return self.page_of(members.order_by("project__name", "pk"), ProjectSerializer)


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
        found = get_object_or_404(Codebook, project=self.member.project_id, number=number)
        return self.shown(found, CodebookSerializer)


class RoundsView(ProjectView):
    """The rounds of a project."""

    query_parameters = PAGING

    @pages_of(RoundSerializer, "Rounds", "The rounds of a project; those being prepared are for leads.")
    def get(self, request: Request, **_where: Any) -> Response:  # noqa: ARG002
        """One page of them, by number."""
        rounds = shown_rounds(self.member).select_related("codebook", "guideline")
        return self.page_of(rounds, RoundSerializer)


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
        rows = shown_votes(self.member)
        if "round" in request.query_params:
            rows = rows.filter(item__round__number=self._round_number(request))
        own = request.query_params.get("own", "false")
        if own not in ("true", "false"):
            raise InvalidParametersError({"own": ["Choose one of: true, false."]})
        if own == "true":
            rows = rows.filter(member=self.member)
        return self.page_of(rows.order_by("submitted_at", "pk"), VoteSerializer)

    def _round_number(self, request: Request) -> int:
        """The round that is asked for. Raises `InvalidParametersError` with those that the reader may know of."""
        wanted = whole_number(request.query_params, "round", default=1, largest=MOST_NUMBER)
        known = list(shown_rounds(self.member).values_list("number", flat=True))
        if wanted not in known:
            listed = ", ".join(map(str, known)) or "none yet"
            raise InvalidParametersError({"round": [f"There is no round {wanted} here. Known are: {listed}."]})
        return wanted


def shown_rounds(member: Member) -> QuerySet[Round]:
    """The project's rounds; those being prepared are for leads."""
    rounds = Round.objects.filter(project=member.project_id)
    rounds = rounds if member.has(Role.LEAD) else rounds.exclude(state=Round.State.DRAFT)
    return rounds.order_by("number", "pk")


def shown_votes(member: Member) -> QuerySet[Vote]:
    """The votes that a member may see, with what their shape shows; four statements, however many votes."""
    rows = visible.votes(member=member).select_related("item__round", "item__issue", "member", "codebook")
    rows = rows.defer("item__issue__body", "item__issue__search_vector", "item__issue__label_terms")
    nodes = Prefetch("nodes", AnswerNode.objects.select_related("version__node"))
    answers = Prefetch("answers", Answer.objects.select_related("axis").prefetch_related(nodes))
    return rows.prefetch_related(answers, Prefetch("evidence", Evidence.objects.select_related("axis")))
