"""The tables of labeling. What each guarantees is a constraint or trigger in its `Meta`.

Composite foreign keys, which Django cannot express, are in migrations/sql/keys.sql and in migration 0019.
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
from labeling.models.items import OwnItem, OwnItemFile
from labeling.models.jobs import Job
from labeling.models.notices import Notice, NoticeChoice
from labeling.models.passes import Pass
from labeling.models.places import Slot
from labeling.models.projects import Guideline, Invitation, Member, Project, Role
from labeling.models.proposals import Proposal, ProposalVote
from labeling.models.publication import (
    AcceptedAnswer,
    CategoryRequest,
    Publication,
    PublicationRequest,
    StaffAction,
)
from labeling.models.quality import GoldAnswer, Repeat
from labeling.models.readers import LEAST_PERCENT, MOST_PERCENT, Reader, ReaderAnswer, Suggestion
from labeling.models.results import Release, ReleaseKey, VoteImport
from labeling.models.rounds import (
    LEAST_HELD,
    MOST_AFTER,
    MOST_HELD,
    MOST_REPEATS,
    MOST_VOTES,
    REPEATED_AFTER,
    Exclusion,
    Item,
    Round,
    Snapshot,
)
from labeling.models.settling import Acceptance, Decision, DiscussionEnd, Opinion, Post, Revision
from labeling.models.votes import Answer, AnswerNode, Confidence, Draft, Evidence, Vote

__all__ = [
    "IN_WORDS",
    "LEAST_HELD",
    "LEAST_PERCENT",
    "MOST_AFTER",
    "MOST_HELD",
    "MOST_PERCENT",
    "MOST_REPEATS",
    "MOST_VOTES",
    "REPEATED_AFTER",
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
    "GoldAnswer",
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
    "OwnItem",
    "OwnItemFile",
    "Pass",
    "Post",
    "Project",
    "ProjectAxis",
    "ProjectNode",
    "Proposal",
    "ProposalVote",
    "Publication",
    "PublicationRequest",
    "Reader",
    "ReaderAnswer",
    "Release",
    "ReleaseKey",
    "Repeat",
    "Revision",
    "Role",
    "Round",
    "Slot",
    "Snapshot",
    "StaffAction",
    "Suggestion",
    "Vote",
    "VoteImport",
]
