"""The pages' part of the permission table, area by area."""

from tests.labeling.permissions.rules import (
    ADJUDICATORS,
    ANNOTATORS,
    ANNOTATORS_FIND_NOTHING,
    ANNOTATORS_IN_VAIN,
    ANYBODY,
    DISCUSSING,
    FOUNDERS,
    FOUNDING_LEADS,
    LEADS,
    LEADS_FIND_NOTHING,
    LEADS_IN_VAIN,
    LEADS_SECRETLY,
    LOGGED_IN,
    MEMBERS,
    NOT_THERE,
    PROPOSING,
    SETTLING,
    STAFF,
    Line,
    Outcome,
    Rule,
)
from tests.labeling.permissions.world import Actor

# Others' flags are not there for a lead who labels.
SEEING_LEADS = Rule(frozenset({Actor.LEAD}), Outcome.HIDDEN, door=LEADS.actors)
# What a model says of an open round is not there for a lead who labels, and stays once ballots show it.
SEEING_LEADS_IN_VAIN = Rule(SEEING_LEADS.actors, Outcome.HIDDEN, met=Outcome.REFUSED, door=LEADS.actors)

# Gold answers are given, and seen before the round is closed, by who does not label it.
GIVING = Rule(frozenset({Actor.LEAD, Actor.ADJUDICATOR}))
GOLD_ANSWER = {"symptom-gold-codes": "hang", "reason": "It is known."}

HOME = (
    Line("labeling:notices", "anywhere", get=LOGGED_IN),
    Line("labeling:notices-read", "anywhere", post=LOGGED_IN),
    Line("labeling:notices-choose", "anywhere", post=LOGGED_IN, body={"site": ["opened"], "mail": []}),
    Line("labeling:invitation", "any request", post=LOGGED_IN),
    Line("labeling:projects", "anywhere", get=LOGGED_IN),
    Line("labeling:project", "project", get=MEMBERS),
)

SETUP = (
    Line("labeling:new-project", "anywhere", get=FOUNDERS, post=FOUNDERS),
    Line("labeling:join", "invitation", get=ANYBODY, post=LOGGED_IN),
    Line("labeling:oversight", "anywhere", get=STAFF),
    Line("labeling:oversight-project", "any project", get=STAFF),
    Line("labeling:oversight-log", "any project", get=STAFF),
    Line("labeling:oversight-suspend", "any project", post=STAFF),
    Line("labeling:oversight-resume", "any project", post=STAFF),
    Line("labeling:oversight-withdraw", "any project", post=STAFF),
    Line("labeling:oversight-allow", "any project", post=STAFF),
    Line("labeling:oversight-request", "any request", get=STAFF),
    Line("labeling:oversight-answers", "any request", get=STAFF),
    Line("labeling:oversight-accept", "any request", post=STAFF),
    Line("labeling:oversight-refuse", "any request", post=STAFF),
    Line("labeling:oversight-category", "any category", post=STAFF),
    Line("labeling:settings", "project", get=LEADS, post=LEADS),
    Line("labeling:clone", "project", get=FOUNDING_LEADS, post=FOUNDING_LEADS),
    Line("labeling:log", "project", get=LEADS),
    Line("labeling:archive", "project", post=LEADS),
    Line("labeling:unarchive", "project", post=LEADS),
    Line("labeling:people", "project", get=MEMBERS),
    Line("labeling:invite", "project", get=LEADS, post=LEADS),
    Line("labeling:revoke", "invitation of the project", post=LEADS),
    Line("labeling:me", "project", get=MEMBERS, post=MEMBERS),
    Line("labeling:leave", "project", get=MEMBERS, post=MEMBERS),
    Line("labeling:roles", "member", get=LEADS, post=LEADS),
    Line("labeling:remove", "member", get=LEADS, post=LEADS),
    Line("labeling:hide-name", "member", post=LEADS),
    Line("labeling:guidelines", "project", get=MEMBERS),
    Line("labeling:write-guidelines", "project", get=LEADS, post=LEADS),
    Line("labeling:guideline-history", "project", get=MEMBERS),
    Line("labeling:guideline", "project", get=MEMBERS),
    Line("labeling:guideline-changes", "second version", get=MEMBERS),
    Line("labeling:codebook", "project", get=MEMBERS),
    Line("labeling:codebook-version", "project", get=MEMBERS),
    Line("labeling:codebook-history", "project", get=MEMBERS),
    Line("labeling:mapping", "project", get=LEADS, post=LEADS),
    Line("labeling:new-question", "project", get=LEADS, post=LEADS),
    Line("labeling:question", "project", get=LEADS_FIND_NOTHING, post=LEADS_FIND_NOTHING),
    Line("labeling:upload-questions", "project", post=LEADS),
    Line("labeling:questions-file", "project", get=MEMBERS),
    Line("labeling:rules", "project", get=MEMBERS, post=LEADS),
    Line("labeling:retire-rule", "rule", post=LEADS),
    Line("labeling:items", "project", get=LEADS, post=LEADS),
    Line("labeling:items-file", "file of items", get=LEADS, post=LEADS),
    Line("labeling:items-rejected", "file of items", get=LEADS),
    Line("labeling:items-export", "project", get=LEADS),
    Line("labeling:delete-items", "project", post=LEADS),
    Line("labeling:rounds", "project", get=MEMBERS),
    Line("labeling:new-round", "project", get=LEADS, post=LEADS),
    Line("labeling:round", "open round", get=MEMBERS),
    Line("labeling:round", "prepared round", get=LEADS_SECRETLY),
    Line("labeling:edit-round", "prepared round", get=LEADS, post=LEADS),
    Line("labeling:open-round", "prepared round", post=LEADS),
    Line("labeling:close-round", "open round", get=LEADS, post=LEADS),
    Line("labeling:votes-wanted", "open round", post=LEADS, body={"votes_wanted": "4"}),
    Line("labeling:deadline", "open round", post=LEADS, body={"deadline": "2030-01-01"}),
    Line("labeling:round-people", "open round", get=LEADS, post=LEADS),
    Line("labeling:round-person", "annotator in the round", get=LEADS),
    Line("labeling:round-person-remove", "annotator in the round", post=LEADS),
    Line("labeling:round-person-replace", "annotator in the round", post=LEADS),
    Line("labeling:round-person-hand-over", "annotator in the round", post=LEADS),
    Line("labeling:flags", "open round", get=LEADS),
    Line("labeling:flag", "another's flag", get=SEEING_LEADS, post=SEEING_LEADS, body={"answer": "Label it."}),
    Line("labeling:drop", "held issue", get=LEADS, post=LEADS, body={"reason": "It is empty."}),
    Line("labeling:drop", "released issue", get=LEADS, post=LEADS_IN_VAIN, body={"reason": "It is empty."}),
    Line("labeling:put-back", "dropped issue", post=LEADS),
    Line("labeling:put-back", "held issue", post=LEADS_IN_VAIN),
    Line("labeling:gold", "open round", get=GIVING),
    Line("labeling:gold-file", "open round", post=GIVING),
    Line("labeling:gold-answers", "gold issue", get=GIVING, post=GIVING, body=GOLD_ANSWER),
    Line("labeling:gold-answers", "another's voted issue", get=GIVING, post=GIVING, body=GOLD_ANSWER),
    Line("labeling:gold-take-out", "gold issue", post=GIVING),
    Line("labeling:gold-take-out", "another's voted issue", post=GIVING),
    Line("labeling:discard-round", "prepared round", post=LEADS),
    Line("labeling:readers", "open round", get=LEADS, post=LEADS),
    Line("labeling:assist", "prepared round", post=LEADS, body={"percent": "50"}),
    Line("labeling:assist", "open round", post=LEADS_IN_VAIN, body={"percent": "50"}),
    Line("labeling:reader-rules", "prepared round", post=LEADS),
    Line("labeling:reader", "open round's reader", get=SEEING_LEADS),
    Line("labeling:reader", "prepared round's file", get=LEADS),
    Line("labeling:reader-rejected", "open round's reader", get=SEEING_LEADS),
    Line("labeling:reader-take", "prepared round's file", post=LEADS),
    Line("labeling:reader-take", "open round's reader", post=SEEING_LEADS_IN_VAIN),
    Line("labeling:reader-remove", "prepared round's file", post=LEADS),
    Line("labeling:reader-remove", "open round's reader", post=SEEING_LEADS_IN_VAIN),
    Line("labeling:sample", "prepared round", get=LEADS),
    Line("labeling:draw-sample", "prepared round", post=LEADS),
    Line("labeling:list-sample", "prepared round", post=LEADS),
    Line("labeling:own-sample", "prepared round", post=LEADS, body={"draw": "all"}),
    Line("labeling:screened-sample", "prepared round", post=LEADS, body={"screening": "3"}),
    Line("labeling:remove-sample", "prepared round", post=LEADS),
    Line("labeling:sample-issues", "open round", get=MEMBERS),
    Line("labeling:sample-issues", "prepared round", get=LEADS_SECRETLY),
)

WORK = (
    Line("labeling:mine", "project", get=ANNOTATORS),
    Line("labeling:next", "open round", get=ANNOTATORS, post=ANNOTATORS),
    Line("labeling:next", "closed round", get=ANNOTATORS, post=ANNOTATORS_IN_VAIN),
    Line("labeling:guide", "open round", get=MEMBERS),
    Line("labeling:guide", "prepared round", get=LEADS_SECRETLY),
    Line("labeling:label", "held issue", get=ANNOTATORS, post=ANNOTATORS),
    Line("labeling:label", "another's issue", get=ANNOTATORS, post=ANNOTATORS_IN_VAIN),
    Line("labeling:draft", "held issue", post=ANNOTATORS, body={"note": "on"}),
    Line("labeling:draft", "another's issue", post=ANNOTATORS_IN_VAIN, body={"note": "on"}),
    Line("labeling:quotation", "held issue", post=ANNOTATORS, body={"quotation": "waits for ever"}),
    Line("labeling:quotation", "another's issue", post=ANNOTATORS_IN_VAIN, body={"quotation": "waits for ever"}),
    Line("labeling:time", "held issue", post=ANNOTATORS, body={"active": "5"}),
    Line("labeling:time", "another's issue", post=ANNOTATORS_IN_VAIN, body={"active": "5"}),
    Line("labeling:pass", "held issue", post=ANNOTATORS, body={"kind": "skip", "reason": "Mine."}),
    Line("labeling:pass", "another's issue", post=ANNOTATORS_IN_VAIN, body={"kind": "skip", "reason": "Mine."}),
    Line("labeling:take", "held issue", post=ANNOTATORS),
    Line("labeling:take", "full issue", post=ANNOTATORS_IN_VAIN),
    Line("labeling:take-back", "voted issue", post=ANNOTATORS),
    Line("labeling:again", "repeated issue", get=ANNOTATORS, post=ANNOTATORS),
    Line("labeling:again", "another's voted issue", get=ANNOTATORS_FIND_NOTHING, post=ANNOTATORS_FIND_NOTHING),
    Line("labeling:again-draft", "repeated issue", post=ANNOTATORS, body={"note": "on"}),
    Line("labeling:again-draft", "another's voted issue", post=ANNOTATORS_FIND_NOTHING),
    Line("labeling:again-time", "repeated issue", post=ANNOTATORS, body={"active": "5"}),
    Line("labeling:again-time", "another's voted issue", post=ANNOTATORS_FIND_NOTHING),
    Line("labeling:again-pass", "repeated issue", post=ANNOTATORS, body={"kind": "skip", "reason": "Mine."}),
    Line("labeling:again-pass", "another's voted issue", post=ANNOTATORS_FIND_NOTHING),
    Line("labeling:take-back", "another's voted issue", post=ANNOTATORS_FIND_NOTHING),
)

# Members without the role are turned away at the door; behind it, a blind issue is not there for anybody.
BLIND_DISCUSSING = Rule(DISCUSSING.actors, met=Outcome.HIDDEN)
BLIND_ADJUDICATORS = Rule(ADJUDICATORS.actors, met=Outcome.HIDDEN)
BLIND_SETTLING = Rule(SETTLING.actors, met=Outcome.HIDDEN)
BLIND_LEADS = Rule(LEADS.actors, met=Outcome.HIDDEN)

SETTLING_PAGES = (
    Line("labeling:disagreement-rounds", "project", get=MEMBERS),
    Line("labeling:adjudication", "project", get=ADJUDICATORS),
    Line("labeling:disagreements", "closed round", get=MEMBERS),
    Line("labeling:accept", "closed round", get=LEADS, post=LEADS),
    Line("labeling:acceptance-reopen", "closed round", post=LEADS),
    Line("labeling:settling-effects", "closed round", get=MEMBERS),
    Line("labeling:disagreement", "released issue", get=MEMBERS),
    Line("labeling:disagreement", "another's issue", get=NOT_THERE),
    Line("labeling:axis-say", "released issue", post=DISCUSSING, body={"text": "I see."}),
    Line("labeling:axis-say", "another's issue", post=BLIND_DISCUSSING, body={"text": "I see."}),
    Line("labeling:axis-revise", "released issue", post=DISCUSSING),
    Line("labeling:axis-revise", "another's issue", post=BLIND_DISCUSSING),
    Line("labeling:axis-stay", "released issue", post=DISCUSSING),
    Line("labeling:axis-stay", "another's issue", post=BLIND_DISCUSSING),
    Line("labeling:axis-take", "released issue", post=DISCUSSING, body={"voter": "B", "revision": "0"}),
    Line("labeling:axis-take", "another's issue", post=BLIND_DISCUSSING, body={"voter": "B", "revision": "0"}),
    Line("labeling:axis-end", "released issue", post=LEADS),
    Line("labeling:axis-end", "another's issue", post=BLIND_LEADS),
    Line("labeling:axis-resume", "released issue", post=LEADS),
    Line("labeling:axis-resume", "another's issue", post=BLIND_LEADS),
    Line("labeling:end-discussions", "closed round", post=LEADS),
    Line("labeling:discussion-days", "closed round", post=LEADS, body={"days": "7"}),
    Line("labeling:opinion", "released issue", post=ADJUDICATORS),
    Line("labeling:opinion", "another's issue", post=BLIND_ADJUDICATORS),
    Line("labeling:axis-decide", "released issue", post=ADJUDICATORS),
    Line("labeling:axis-decide", "another's issue", post=BLIND_ADJUDICATORS),
    Line("labeling:axis-accept", "released issue", post=LEADS),
    Line("labeling:axis-accept", "another's issue", post=BLIND_LEADS),
    Line("labeling:axis-reopen", "settled issue", post=SETTLING, body={"reason": "New facts."}),
    Line("labeling:axis-reopen", "another's issue", post=BLIND_SETTLING),
)

# An unfinished proposal is its author's alone.
AUTHOR = Rule(frozenset({Actor.ANNOTATOR}), Outcome.HIDDEN)
AUTHOR_AT_WORK = Rule(AUTHOR.actors, Outcome.HIDDEN, door=PROPOSING.actors)

PROPOSALS = (
    Line("labeling:proposals", "project", get=MEMBERS),
    Line("labeling:propose", "project", get=PROPOSING, post=PROPOSING),
    Line("labeling:proposal", "proposal on vote", get=MEMBERS),
    Line("labeling:proposal", "unfinished proposal", get=AUTHOR),
    Line("labeling:proposal-edit", "unfinished proposal", get=AUTHOR_AT_WORK, post=AUTHOR_AT_WORK),
    Line("labeling:proposal-put", "unfinished proposal", post=AUTHOR_AT_WORK),
    Line("labeling:proposal-ballot", "proposal on vote", post=PROPOSING, body={"agrees": "yes"}),
    Line("labeling:proposal-withdraw", "proposal on vote", post=PROPOSING),
    Line("labeling:proposal-recheck", "proposal on vote", post=LEADS),
)

# The adjudicator has not given a first opinion on the board's issue yet.
SEEING_BOARD = Rule(MEMBERS.actors - {Actor.ADJUDICATOR})

CODING = (
    Line("labeling:coding", "project", get=MEMBERS),
    Line("labeling:begin-coding", "project", post=LEADS_IN_VAIN),
    Line(
        "labeling:coding-codes", "project", post=LEADS, body={"do": "merge", "code": ["rank mismatch", "wrong ranks"]}
    ),
    Line("labeling:coding-node", "project", get=LEADS, post=LEADS, body={"do": "remove"}),
    Line("labeling:coding-history", "project", get=SEEING_BOARD),
    Line("labeling:coding-undo", "project", post=LEADS),
    Line("labeling:coding-codebook", "project", get=LEADS, post=LEADS),
    Line("labeling:coding-mapped", "project", get=SEEING_BOARD),
    Line("labeling:coding-csv", "project", get=SEEING_BOARD),
    Line("labeling:coding-jsonl", "project", get=SEEING_BOARD),
)

# Everybody's pace and votes: for who leads or observes, and neither votes nor adjudicates.
READERS = Rule(frozenset({Actor.LEAD, Actor.OBSERVER}))

RESULTS = (
    Line("labeling:results", "project", get=MEMBERS),
    Line("labeling:progress", "project", get=READERS),
    Line("labeling:agreement", "closed round", get=MEMBERS),
    Line("labeling:agreement", "prepared round", get=LEADS_SECRETLY),
    Line("labeling:agreement-matrix", "closed round", get=MEMBERS, query="?axis=symptom"),
    Line("labeling:influence", "closed round", get=MEMBERS),
    Line("labeling:influence", "open round", get=MEMBERS),
    Line("labeling:influence", "prepared round", get=LEADS_SECRETLY),
    Line("labeling:quality", "open round", get=MEMBERS),
    Line("labeling:quality", "prepared round", get=LEADS_SECRETLY),
    Line("labeling:quality-table", "open round", get=MEMBERS),
    Line("labeling:publish", "project", get=LEADS),
    Line("labeling:publish-now", "project", post=LEADS),
    Line("labeling:publish-take-back", "project", post=LEADS),
    Line("labeling:publish-withdraw", "project", post=LEADS),
    Line("labeling:releases", "project", get=MEMBERS, post=LEADS),
    Line("labeling:release", "release", get=MEMBERS),
    Line("labeling:release-file", "release", get=MEMBERS),
    Line("labeling:exchange", "project", get=MEMBERS, post=LEADS),
    Line("labeling:export", "project", get=MEMBERS),
    Line("labeling:import", "import", get=LEADS, post=LEADS),
    Line("labeling:import-rejected", "import", get=LEADS),
    Line("labeling:job", "job", get=LEADS),
    Line("labeling:job-again", "job", post=LEADS),
)

PAGES = (*HOME, *SETUP, *WORK, *SETTLING_PAGES, *PROPOSALS, *CODING, *RESULTS)
