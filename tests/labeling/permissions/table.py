"""The permission table: what every address of labeling answers to whom. An address without a line fails the matrix.

Grouped by face and area; an address with an issue in it has lines for one's own and for another's. The rules are in
`rules`, the places in `rules.PLACES`, the project behind them in `world`.
"""

from tests.labeling.permissions.rules import (
    ANNOTATORS,
    ANNOTATORS_IN_VAIN,
    ANYBODY,
    LEADS_SECRETLY,
    LOGGED_IN,
    MEMBERS,
    NOT_THERE,
    OWNERS,
    PROPOSING_IN_VAIN,
    Line,
)
from tests.labeling.permissions.table_pages import AUTHOR, AUTHOR_AT_WORK, PAGES

BALLOT = {"choices": {"symptom": {"codes": ["hang"]}, "issue_type": {"codes": ["bug"]}}, "confidence": 3}
DRAFT = {"content": {"note": "on"}, "revision": 1}
PROPOSAL = {"reason": "It reads better."}
PASS = {"kind": "skip", "reason": "I wrote this report."}

API = (
    Line("api-labeling-openapi", "anywhere", get=ANYBODY),
    Line("api-labeling-projects", "anywhere", get=LOGGED_IN),
    Line("api-labeling-project", "project", get=MEMBERS),
    Line("api-labeling-codebook", "project", get=MEMBERS),
    Line("api-labeling-votes", "project", get=MEMBERS),
    Line("api-labeling-proposals", "project", get=MEMBERS),
    Line("api-labeling-proposal", "proposal on vote", get=MEMBERS, patch=PROPOSING_IN_VAIN, body=PROPOSAL),
    Line("api-labeling-proposal", "unfinished proposal", get=AUTHOR, patch=AUTHOR_AT_WORK, body=PROPOSAL),
    Line("api-labeling-rounds", "project", get=MEMBERS),
    Line("api-labeling-round", "open round", get=MEMBERS),
    Line("api-labeling-round", "prepared round", get=LEADS_SECRETLY),
    Line("api-labeling-agreement", "open round", get=MEMBERS),
    Line("api-labeling-agreement", "prepared round", get=LEADS_SECRETLY),
    Line("api-labeling-next", "open round", post=ANNOTATORS),
    Line("api-labeling-next", "closed round", post=ANNOTATORS_IN_VAIN),
    Line("api-labeling-issue", "held issue", get=MEMBERS),
    Line("api-labeling-issue", "prepared round", get=LEADS_SECRETLY),
    Line("api-labeling-take", "held issue", post=ANNOTATORS),
    Line("api-labeling-take", "voted issue", post=ANNOTATORS_IN_VAIN),
    Line("api-labeling-take", "full issue", post=ANNOTATORS_IN_VAIN),
    Line("api-labeling-draft", "held issue", get=OWNERS, put=ANNOTATORS, body=DRAFT),
    Line("api-labeling-draft", "another's issue", get=NOT_THERE, put=ANNOTATORS_IN_VAIN, body=DRAFT),
    Line("api-labeling-vote", "held issue", get=NOT_THERE, post=ANNOTATORS, delete=NOT_THERE, body=BALLOT),
    Line("api-labeling-vote", "voted issue", get=OWNERS, post=ANNOTATORS, delete=OWNERS, body=BALLOT),
    Line(
        "api-labeling-vote", "another's voted issue",
        get=NOT_THERE, post=ANNOTATORS_IN_VAIN, delete=NOT_THERE, body=BALLOT,
    ),
    Line("api-labeling-pass", "held issue", post=ANNOTATORS, body=PASS),
    Line("api-labeling-pass", "another's issue", post=ANNOTATORS_IN_VAIN, body=PASS),
    Line("api-labeling-issue-votes", "voted issue", get=MEMBERS),
    Line("api-labeling-issue-votes", "another's voted issue", get=MEMBERS),
)  # fmt: skip

TABLE = (*API, *PAGES)
