"""Proposals to change the codebook, and the blind ballots on them.

A proposal is its author's until it is put to the vote: what somebody wants to add tells how they see the issues.
"""

from functools import reduce
from operator import or_

import pgtrigger
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from kb.models import Issue
from labeling.models.codebook import Codebook, ProjectAxis, ProjectNode
from labeling.models.projects import Member, Project
from labeling.models.rounds import Round

# Everything that people are asked about.
IS_REWRITTEN = reduce(
    or_,
    (
        pgtrigger.Q(**{f"old__{name}__df": pgtrigger.F(f"new__{name}")})
        for name in ("project", "axis", "kind", "into", "wording", "reason", "author", "rule")
    ),
)


class Proposal(models.Model):
    """One change of the codebook, with its reason and the issues that show the need for it."""

    class Kind(models.TextChoices):
        """The kind of change. `nodes` are the nodes concerned; for a new node, those that it would take issues from."""

        ADD = "add", "Add a category"
        RENAME = "rename", "Rename a category"
        REDEFINE = "redefine", "Redefine a category"
        MERGE = "merge", "Merge categories into one"
        SPLIT = "split", "Split a category"
        RETIRE = "retire", "Retire a category"

    class Rule(models.TextChoices):
        """Whose agreement it needs."""

        UNANIMOUS = "unanimous", "Everybody entitled agrees"
        MAJORITY = "majority", "More than half of the eligible voters agree"

    class State(models.TextChoices):
        """The proposal's state."""

        DRAFT = "draft", "Being written"
        VOTE = "vote", "Open for votes"
        ACCEPTED = "accepted", "Accepted"
        REJECTED = "rejected", "Rejected"
        WITHDRAWN = "withdrawn", "Withdrawn"

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="proposals")
    axis = models.ForeignKey(ProjectAxis, on_delete=models.PROTECT, related_name="proposals")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    nodes = models.ManyToManyField(ProjectNode, related_name="+", blank=True)
    into = models.ForeignKey(ProjectNode, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    wording = models.JSONField(default=list, blank=True, help_text="New wordings: code, name, definition ...")
    reason = models.TextField()
    evidence = models.ManyToManyField(Issue, related_name="+", blank=True)
    author = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="proposals")
    rule = models.CharField(max_length=9, choices=Rule.choices, default=Rule.UNANIMOUS)
    electorate = models.ManyToManyField(
        Member, related_name="+", blank=True, help_text="Eligible voters, fixed at the start."
    )
    state = models.CharField(max_length=9, choices=State.choices, default=State.DRAFT)
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())
    decided_at = models.DateTimeField(null=True, blank=True)
    codebook = models.OneToOneField(
        Codebook, on_delete=models.PROTECT, null=True, blank=True, related_name="proposal", help_text="Its result."
    )
    recheck = models.OneToOneField(Round, on_delete=models.PROTECT, null=True, blank=True, related_name="proposal")

    class Meta:
        ordering = ("-created_at", "-pk")
        constraints = (
            models.CheckConstraint(condition=~Q(reason=""), name="proposal_has_reason"),
            models.CheckConstraint(
                condition=Q(state__in=("accepted", "rejected"), decided_at__isnull=False)
                | (~Q(state__in=("accepted", "rejected")) & Q(decided_at=None)),
                name="proposal_decision_is_dated",
            ),
            models.CheckConstraint(
                condition=Q(state="accepted", codebook__isnull=False) | (~Q(state="accepted") & Q(codebook=None)),
                name="proposal_accepted_has_codebook",
            ),
        )
        triggers = (
            pgtrigger.Protect(
                name="stands_once_put_to_vote",
                operation=pgtrigger.Update,
                condition=~pgtrigger.Q(old__state="draft") & IS_REWRITTEN,
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_kind_display()} ({self.axis.name})"


class ProposalVote(models.Model):
    """One person's ballot on a proposal; secret until the decision, and never changed."""

    proposal = models.ForeignKey(Proposal, on_delete=models.PROTECT, related_name="votes", db_index=False)
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="proposal_votes")
    agrees = models.BooleanField()
    reason = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())

    class Meta:
        ordering = ("created_at", "pk")
        constraints = (
            models.UniqueConstraint(fields=("proposal", "member"), name="proposalvote_unique"),
            models.CheckConstraint(condition=Q(agrees=True) | ~Q(reason=""), name="proposalvote_against_has_reason"),
        )
        triggers = (pgtrigger.Protect(name="never_changed", operation=pgtrigger.Update | pgtrigger.Delete),)

    def __str__(self) -> str:
        return f"{self.proposal_id}: {self.member}"
