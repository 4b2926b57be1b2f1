"""Proposals by program: reading them, and changing one's own while nobody else sees it."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from kb.api.parameters import PAGING
from labeling.api.base import ProjectView
from labeling.api.schema import accepts, answers, pages_of
from labeling.api.shapes.proposals import ProposalSentSerializer, ProposalSerializer, rewritten
from labeling.models import Proposal, Role
from labeling.refusals import missing_as_404
from labeling.selectors.proposals import proposal_record, proposal_records
from labeling.services.proposals import rewrite

PROPOSING = (Role.LEAD, Role.ANNOTATOR, Role.ADJUDICATOR)


class ProposalsView(ProjectView):
    """Proposals to change the codebook."""

    query_parameters = PAGING

    @pages_of(ProposalSerializer, "Proposals", "Proposals open for votes or decided, and your own; newest first.")
    def get(self, request: Request, **_where: Any) -> Response:  # noqa: ARG002
        """One page of them."""
        return self.page_of(proposal_records(member=self.member), ProposalSerializer)


class ProposalView(ProjectView):
    """One proposal."""

    roles = {"PATCH": PROPOSING}

    @answers(ProposalSerializer, "One proposal", "A proposal open for votes or decided, or one of your own.")
    def get(self, request: Request, **_where: Any) -> Response:  # noqa: ARG002
        """The proposal of this number."""
        return self.shown(self._proposal(), ProposalSerializer)

    @accepts(
        ProposalSentSerializer,
        ProposalSerializer,
        "Change your proposal",
        "Changes a proposal of yours that is not put to the vote yet; what kind of change it is, and on which axis, "
        "stays. 409 once it is put to the vote: then it stands.",
    )
    def patch(self, request: Request, **_where: Any) -> Response:  # noqa: ARG002
        """Write it anew."""
        proposal = self._proposal()
        content = rewritten(proposal, self.sent(ProposalSentSerializer))
        rewrite(author=self.member, proposal=proposal, **content)
        return self.shown(self._proposal(), ProposalSerializer)

    def _proposal(self) -> Proposal:
        with missing_as_404():
            return proposal_record(member=self.member, pk=self.kwargs["proposal"])
