"""The tables of the knowledge base and their constraints; writing is in `services`, reading in `selectors`."""

from kb.models.cause_links import CauseLinkChange, CauseLinkEvidence, GoneCauseLink
from kb.models.circumstances import FACTS, FixTestedBy, FoundBy, Reach, ReproducedWith, ToldBy
from kb.models.codebook import MAX_DEPTH, Axis, Crosswalk, Node, Scheme, Study, Trust, node_path
from kb.models.diagnosis_jobs import DiagnosisJob, DiagnosisUpload
from kb.models.digest import IssueDigest
from kb.models.facts import HOUSE, IssueFacts
from kb.models.fault_changes import FaultChange, FaultTouch
from kb.models.fixes import Fix
from kb.models.forgotten import ForgottenAuthor
from kb.models.frameworks import Framework, Host, Repository, RepositoryAlias
from kb.models.functions import WithoutSecrets
from kb.models.issue_choices import Certainty, Kind, Severity, State
from kb.models.issues import Issue, IssueQuerySet
from kb.models.labels import READ_BY, CauseLink, Label, Source, trust_order
from kb.models.mirrored import ClosingReference, Comment, FormerAddress
from kb.models.missed_searches import MissedSearch
from kb.models.other_reports import OtherReport
from kb.models.playbooks import ExampleLanguage, Playbook
from kb.models.priorities import SurveyAnswer, SurveyPlace
from kb.models.proposed_categories import ProposedCategory
from kb.models.provenance import Provenance
from kb.models.public_ids import FormerId
from kb.models.published import FRAMEWORK, REST, PublishedCell, PublishedTable
from kb.models.readings import TwoReadings
from kb.models.releases import AffectedRange, Change, History, Release
from kb.models.search import SearchBuild, SearchChange, SearchHost
from kb.models.shared_diagnoses import DiagnosisFeedback, FeedbackDecision, KnownSignature, SharedDiagnosis
from kb.models.webhooks import Webhook, WebhookDelivery

__all__ = [
    "FACTS",
    "FRAMEWORK",
    "HOUSE",
    "MAX_DEPTH",
    "READ_BY",
    "REST",
    "AffectedRange",
    "Axis",
    "CauseLink",
    "CauseLinkChange",
    "CauseLinkEvidence",
    "Certainty",
    "Change",
    "ClosingReference",
    "Comment",
    "Crosswalk",
    "DiagnosisFeedback",
    "DiagnosisJob",
    "DiagnosisUpload",
    "ExampleLanguage",
    "FaultChange",
    "FaultTouch",
    "FeedbackDecision",
    "Fix",
    "FixTestedBy",
    "ForgottenAuthor",
    "FormerAddress",
    "FormerId",
    "FoundBy",
    "Framework",
    "GoneCauseLink",
    "History",
    "Host",
    "Issue",
    "IssueDigest",
    "IssueFacts",
    "IssueQuerySet",
    "Kind",
    "KnownSignature",
    "Label",
    "MissedSearch",
    "Node",
    "OtherReport",
    "Playbook",
    "ProposedCategory",
    "Provenance",
    "PublishedCell",
    "PublishedTable",
    "Reach",
    "Release",
    "Repository",
    "RepositoryAlias",
    "ReproducedWith",
    "Scheme",
    "SearchBuild",
    "SearchChange",
    "SearchHost",
    "Severity",
    "SharedDiagnosis",
    "Source",
    "State",
    "Study",
    "SurveyAnswer",
    "SurveyPlace",
    "ToldBy",
    "Trust",
    "TwoReadings",
    "Webhook",
    "WebhookDelivery",
    "WithoutSecrets",
    "node_path",
    "trust_order",
]
