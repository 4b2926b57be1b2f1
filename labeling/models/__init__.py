"""The tables of labeling. What each guarantees is a constraint or trigger in its `Meta`.

Composite foreign keys, which Django cannot express, are in migrations 0002 and 0008.
"""

from labeling.models.audit import AuditEntry
from labeling.models.codebook import (
    IN_WORDS,
    AxisKind,
    Codebook,
    CodebookNode,
    CrossRule,
    NodeVersion,
    ProjectAxis,
    ProjectNode,
)
from labeling.models.coding import CodingAct, CodingNode, OpenCode
from labeling.models.jobs import Job
from labeling.models.notices import Notice, NoticeChoice
from labeling.models.passes import Pass
from labeling.models.projects import Guideline, Invitation, Member, Project, Role
from labeling.models.proposals import Proposal, ProposalVote
from labeling.models.publication import (
    AcceptedAnswer,
    CategoryRequest,
    Publication,
    PublicationRequest,
    StaffAction,
)
from labeling.models.results import Release, ReleaseKey, VoteImport
from labeling.models.rounds import LEAST_HELD, MOST_HELD, MOST_VOTES, Exclusion, Item, Round, Slot, Snapshot
from labeling.models.settling import Acceptance, Decision, DiscussionEnd, Opinion, Post, Revision
from labeling.models.votes import Answer, AnswerNode, Confidence, Draft, Evidence, Vote

__all__ = [
    "IN_WORDS",
    "LEAST_HELD",
    "MOST_HELD",
    "MOST_VOTES",
    "Acceptance",
    "AcceptedAnswer",
    "Answer",
    "AnswerNode",
    "AuditEntry",
    "AxisKind",
    "CategoryRequest",
    "Codebook",
    "CodebookNode",
    "CodingAct",
    "CodingNode",
    "Confidence",
    "CrossRule",
    "Decision",
    "DiscussionEnd",
    "Draft",
    "Evidence",
    "Exclusion",
    "Guideline",
    "Invitation",
    "Item",
    "Job",
    "Member",
    "NodeVersion",
    "Notice",
    "NoticeChoice",
    "OpenCode",
    "Opinion",
    "Pass",
    "Post",
    "Project",
    "ProjectAxis",
    "ProjectNode",
    "Proposal",
    "ProposalVote",
    "Publication",
    "PublicationRequest",
    "Release",
    "ReleaseKey",
    "Revision",
    "Role",
    "Round",
    "Slot",
    "Snapshot",
    "StaffAction",
    "Vote",
    "VoteImport",
]
