"""The tables of labeling. What each guarantees is a constraint or trigger in its `Meta`.

Composite foreign keys, which Django cannot express, are in migrations 0002 and 0008.
"""

from labeling.models.audit import AuditEntry
from labeling.models.codebook import Codebook, CodebookNode, CrossRule, NodeVersion, ProjectAxis, ProjectNode
from labeling.models.jobs import Job
from labeling.models.notices import Notice, NoticeChoice
from labeling.models.projects import Guideline, Invitation, Member, Project, Role
from labeling.models.proposals import Proposal, ProposalVote
from labeling.models.results import CategoryRequest, Publication, Release, ReleaseKey, StaffAction, VoteImport
from labeling.models.rounds import MOST_VOTES, Exclusion, Item, Pass, Round, Slot, Snapshot
from labeling.models.settling import Acceptance, Decision, Opinion, Post, Revision
from labeling.models.votes import Answer, AnswerNode, Confidence, Draft, Evidence, Vote

__all__ = [
    "MOST_VOTES",
    "Acceptance",
    "Answer",
    "AnswerNode",
    "AuditEntry",
    "CategoryRequest",
    "Codebook",
    "CodebookNode",
    "Confidence",
    "CrossRule",
    "Decision",
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
    "Opinion",
    "Pass",
    "Post",
    "Project",
    "ProjectAxis",
    "ProjectNode",
    "Proposal",
    "ProposalVote",
    "Publication",
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
