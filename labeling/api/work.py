"""Labeling by program: the next issue, drafts, votes, passing on. Each verb is one service; reading is `views`."""

from typing import Any

from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from kb.api.parameters import PAGING
from labeling.api.base import ProjectView
from labeling.api.schema import accepts, answers, pages_of
from labeling.api.scopes import Scope
from labeling.api.shapes.ballots import (
    BallotSerializer,
    DraftSentSerializer,
    DraftSerializer,
    PassSentSerializer,
    PassSerializer,
    ballot_of,
)
from labeling.api.shapes.votes import ItemSerializer, SlotSerializer, VoteSerializer
from labeling.models import Pass, Role, Vote
from labeling.refusals import missing_as_404
from labeling.selectors.membership import item_of
from labeling.selectors.own_work import draft_on
from labeling.selectors.vote_records import own_vote_record, vote_records
from labeling.services.assignment import next_slot, pass_item, take_item
from labeling.services.voting import save_draft, submit, take_back

ANNOTATORS = (Role.ANNOTATOR,)


class NextView(ProjectView):
    """The next issue to label."""

    write_scope = Scope.VOTE
    roles = {"POST": ANNOTATORS}

    @answers(
        SlotSerializer,
        "Ask for the next issue",
        "The issue you are working on, else the next one of the round, kept for you for a while; 204 when there "
        "is none for you now. Later there may be: others' reservations run out.",
        nothing=True,
    )
    def post(self, request: Request, **_where: Any) -> Response:  # noqa: ARG002
        """Reserve a slot for the annotator."""
        slot = next_slot(member=self.member, round_=self.round_)
        if slot is None:
            return Response(status=status.HTTP_204_NO_CONTENT)
        # With all that is shown of it, in one statement.
        slot.item = item_of(round_=self.round_, position=slot.item.position)
        return self.shown(slot, SlotSerializer)


class IssueView(ProjectView):
    """An issue of a round."""

    @answers(ItemSerializer, "One issue", "The issue as frozen for the round: everybody labels the same text.")
    def get(self, request: Request, **_where: Any) -> Response:  # noqa: ARG002
        """The issue at this place in the sample."""
        return self.shown(self.item, ItemSerializer)


class TakeView(ProjectView):
    """A place on one issue."""

    write_scope = Scope.VOTE
    roles = {"POST": ANNOTATORS}

    @answers(
        SlotSerializer,
        "Take an issue",
        "A place on this very issue: to come back to a draft whose reservation ran out, or to a skipped issue.",
    )
    def post(self, request: Request, **_where: Any) -> Response:  # noqa: ARG002
        """Reserve it for the annotator."""
        slot = take_item(member=self.member, item=self.item)
        slot.item = self.item
        return self.shown(slot, SlotSerializer)


class DraftView(ProjectView):
    """One's own draft on an issue."""

    write_scope = Scope.VOTE
    roles = {"PUT": ANNOTATORS}

    @answers(DraftSerializer, "Your draft", "Your draft on this issue.")
    def get(self, request: Request, **_where: Any) -> Response:  # noqa: ARG002
        """The draft; nobody sees another's."""
        with missing_as_404():
            draft = draft_on(member=self.member, item=self.item)
        return self.shown(draft, DraftSerializer)

    @accepts(
        DraftSentSerializer,
        DraftSerializer,
        "Keep a draft",
        "Keeps what is filled in. The same again only adds the time. 409 when another tab or program has changed it "
        "meanwhile: read it and continue from there.",
    )
    def put(self, request: Request, **_where: Any) -> Response:  # noqa: ARG002
        """Save the next revision."""
        sent = self.sent(DraftSentSerializer)
        draft = save_draft(member=self.member, item=self.item, **sent)
        return self.shown(draft, DraftSerializer)


class VoteView(ProjectView):
    """One's own vote on an issue."""

    write_scope = Scope.VOTE
    roles = {"POST": ANNOTATORS}

    @answers(VoteSerializer, "Your vote", "Your vote on this issue.")
    def get(self, request: Request, **_where: Any) -> Response:  # noqa: ARG002
        """The vote with its receipt."""
        return self.shown(self._own(), VoteSerializer)

    @accepts(
        BallotSerializer,
        VoteSerializer,
        "Vote",
        "Casts your vote; the receipt proves it. The same ballot sent again, such as after a lost answer, gives the "
        "same vote and receipt; another one is refused with 409 once you have voted. 422 names what is missing.",
        code=status.HTTP_201_CREATED,
    )
    def post(self, request: Request, **_where: Any) -> Response:  # noqa: ARG002
        """Cast it."""
        ballot = ballot_of(self.sent(BallotSerializer))
        submit(member=self.member, item=self.item, ballot=ballot)
        return self.shown(self._own(), VoteSerializer, status.HTTP_201_CREATED)

    @answers(
        DraftSerializer,
        "Take your vote back",
        "Makes your vote a draft again, within 15 minutes and while the issue is blind. 404 when there is no vote.",
    )
    def delete(self, request: Request, **_where: Any) -> Response:  # noqa: ARG002
        """Take it back."""
        return self.shown(take_back(member=self.member, vote=self._own()), DraftSerializer)

    def _own(self) -> Vote:
        with missing_as_404():
            return own_vote_record(member=self.member, item=self.item)


class PassView(ProjectView):
    """Passing an issue on."""

    write_scope = Scope.VOTE
    roles = {"POST": ANNOTATORS}

    @accepts(
        PassSentSerializer,
        PassSerializer,
        "Skip or flag an issue",
        "Skips an issue reserved for you, or flags it for the lead; someone else can take it.",
        code=status.HTTP_201_CREATED,
    )
    def post(self, request: Request, **_where: Any) -> Response:  # noqa: ARG002
        """Skip or flag it."""
        sent = self.sent(PassSentSerializer)
        row = pass_item(member=self.member, item=self.item, kind=Pass.Kind(sent["kind"]), reason=sent["reason"])
        return self.shown(row, PassSerializer, status.HTTP_201_CREATED)


class IssueVotesView(ProjectView):
    """The votes on one issue that the reader may see."""

    query_parameters = PAGING

    @pages_of(VoteSerializer, "Votes on an issue", "Your own vote, and others' once the issue is released to you.")
    def get(self, request: Request, **_where: Any) -> Response:  # noqa: ARG002
        """One page of them."""
        return self.page_of(vote_records(member=self.member, item=self.item), VoteSerializer)
