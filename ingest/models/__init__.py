"""The tables of both ways in by machine: what imports leave behind, and how far mirrors have come."""

from ingest.models.imports import (
    AnnotatorVote,
    ImportedAnswer,
    ImportedFile,
    ImportedRow,
    ImportRejection,
    ImportRun,
    SuggestionMark,
)
from ingest.models.sync import Cursor, Delivery, KeywordList, LeftOut, Mirror, Pending, SyncRun

__all__ = [
    "AnnotatorVote",
    "Cursor",
    "Delivery",
    "ImportRejection",
    "ImportRun",
    "ImportedAnswer",
    "ImportedFile",
    "ImportedRow",
    "KeywordList",
    "LeftOut",
    "Mirror",
    "Pending",
    "SuggestionMark",
    "SyncRun",
]
