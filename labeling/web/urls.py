"""Addresses of labeling. What belongs to one area stands together; rounds go by their number in the project.

Every view but the list of projects, the making of one, joining, and the staff's pages goes through
`access.project_page`.
"""

from django.urls import path

from labeling.web import audit, notices, oversight, projects, review
from labeling.web.coding import board as coding
from labeling.web.coding import results as coded
from labeling.web.proposals import compose
from labeling.web.proposals import pages as proposals
from labeling.web.results import agreement, exchange, jobs, overview, progress, publishing, releases
from labeling.web.settling import actions, adjudication, disagreement, disagreements, discussions
from labeling.web.setup import (
    cloning,
    codebook,
    dropping,
    flags,
    guidelines,
    join,
    mapping,
    people,
    project_creation,
    questions,
    round_people,
    rounds,
    samples,
)
from labeling.web.work import label
from labeling.web.work import rounds as work

app_name = "labeling"
PROJECT = "<slug:project>/"
ROUND = f"{PROJECT}rounds/<int:number>/"
ITEM = f"{ROUND}issues/<int:position>/"
PROPOSAL = f"{PROJECT}proposals/<int:proposal>/"
AXIS = f"{ITEM}disagreement/<slug:axis>/"

urlpatterns = [
    # Setting a project up. Fixed words come before a project's short name, which is none of them.
    path("", projects.projects, name="projects"),
    path("new/", project_creation.new_project, name="new-project"),
    path("join/<str:token>/", join.join, name="join"),
    path("notices/", notices.notices, name="notices"),
    path("notices/read/", notices.reading, name="notices-read"),
    path("notices/choices/", notices.choosing, name="notices-choose"),
    path("oversight/", oversight.projects, name="oversight"),
    path("oversight/categories/<int:pk>/", oversight.category, name="oversight-category"),
    path("oversight/requests/<int:pk>/", review.review, name="oversight-request"),
    path("oversight/requests/<int:pk>/answers.csv", review.answers, name="oversight-answers"),
    path("oversight/requests/<int:pk>/accept/", review.accept, name="oversight-accept"),
    path("oversight/requests/<int:pk>/refuse/", review.refuse, name="oversight-refuse"),
    path("oversight/projects/<slug:slug>/", oversight.project, name="oversight-project"),
    path("oversight/projects/<slug:slug>/log/", audit.staff_log, name="oversight-log"),
    *(
        path(f"oversight/projects/<slug:slug>/{do}/", oversight.act, {"do": do}, name=f"oversight-{do}")
        for do in oversight.ACTS
    ),
    path(PROJECT, projects.project, name="project"),
    path(f"{PROJECT}settings/", project_creation.settings, name="settings"),
    path(f"{PROJECT}clone/", cloning.cloning, name="clone"),
    path(f"{PROJECT}log/", audit.log, name="log"),
    path(f"{PROJECT}archive/", project_creation.archive, name="archive"),
    path(f"{PROJECT}unarchive/", project_creation.unarchive, name="unarchive"),
    path(f"{PROJECT}people/", people.people, name="people"),
    path(f"{PROJECT}people/invite/", people.invitation, name="invite"),
    path(f"{PROJECT}people/invitations/<int:pk>/revoke/", people.revocation, name="revoke"),
    path(f"{PROJECT}people/me/", people.me, name="me"),
    path(f"{PROJECT}people/leave/", people.leaving, name="leave"),
    path(f"{PROJECT}people/<int:pk>/roles/", people.roles, name="roles"),
    path(f"{PROJECT}people/<int:pk>/remove/", people.removal, name="remove"),
    path(f"{PROJECT}people/<int:pk>/hide/", people.hiding, name="hide-name"),
    path(f"{PROJECT}guidelines/", guidelines.guidelines, name="guidelines"),
    path(f"{PROJECT}guidelines/write/", guidelines.writing, name="write-guidelines"),
    path(f"{PROJECT}guidelines/history/", guidelines.history, name="guideline-history"),
    path(f"{PROJECT}guidelines/<int:version>/", guidelines.version, name="guideline"),
    path(f"{PROJECT}guidelines/<int:version>/changes/", guidelines.changes, name="guideline-changes"),
    path(f"{PROJECT}codebook/", codebook.codebook, name="codebook"),
    path(f"{PROJECT}codebook/history/", codebook.history, name="codebook-history"),
    path(f"{PROJECT}codebook/rules/", codebook.rules, name="rules"),
    path(f"{PROJECT}codebook/rules/<int:pk>/retire/", codebook.retirement, name="retire-rule"),
    path(f"{PROJECT}codebook/mapping/", mapping.mapping, name="mapping"),
    path(f"{PROJECT}codebook/questions/new/", questions.new_question, name="new-question"),
    path(f"{PROJECT}codebook/questions/upload/", questions.upload, name="upload-questions"),
    path(f"{PROJECT}codebook/questions.yaml", questions.questions_file, name="questions-file"),
    path(f"{PROJECT}codebook/<int:version>/", codebook.codebook, name="codebook-version"),
    # Open coding, and the board on which codes become a codebook
    path(f"{PROJECT}coding/", coding.board, name="coding"),
    path(f"{PROJECT}coding/begin/", coding.beginning, name="begin-coding"),
    path(f"{PROJECT}coding/codes/", coding.codes, name="coding-codes"),
    path(f"{PROJECT}coding/nodes/<str:node>/", coding.node, name="coding-node"),
    path(f"{PROJECT}coding/history/", coding.history, name="coding-history"),
    path(f"{PROJECT}coding/history/<int:act>/undo/", coding.undoing, name="coding-undo"),
    path(f"{PROJECT}coding/codebook/", coded.codebook, name="coding-codebook"),
    path(f"{PROJECT}coding/mapped/", coded.mapping, name="coding-mapped"),
    path(f"{PROJECT}coding/codes.csv", coded.download, {"format_": "csv"}, name="coding-csv"),
    path(f"{PROJECT}coding/codes.jsonl", coded.download, {"format_": "jsonl"}, name="coding-jsonl"),
    path(f"{PROJECT}rounds/", rounds.rounds, name="rounds"),
    path(f"{PROJECT}rounds/new/", rounds.new, name="new-round"),
    path(ROUND, rounds.page, name="round"),
    path(f"{ROUND}edit/", rounds.edit, name="edit-round"),
    path(f"{ROUND}open/", rounds.opening, name="open-round"),
    path(f"{ROUND}close/", rounds.closing, name="close-round"),
    path(f"{ROUND}votes-wanted/", rounds.votes, name="votes-wanted"),
    path(f"{ROUND}people/", round_people.people, name="round-people"),
    path(f"{ROUND}people/<int:pk>/", round_people.person, name="round-person"),
    path(f"{ROUND}people/<int:pk>/remove/", round_people.remove, name="round-person-remove"),
    path(f"{ROUND}people/<int:pk>/replace/", round_people.replace, name="round-person-replace"),
    path(f"{ROUND}people/<int:pk>/hand-over/", round_people.hand_over, name="round-person-hand-over"),
    path(f"{ROUND}flags/", flags.flags, name="flags"),
    path(f"{ROUND}flags/<int:pk>/", flags.answer, name="flag"),
    path(f"{ROUND}deadline/", rounds.deadline, name="deadline"),
    path(f"{ROUND}discard/", rounds.discarding, name="discard-round"),
    path(f"{ITEM}drop/", dropping.drop, name="drop"),
    path(f"{ITEM}put-back/", dropping.back, name="put-back"),
    path(f"{ROUND}sample/", samples.sample, name="sample"),
    path(f"{ROUND}sample/draw/", samples.drawing, name="draw-sample"),
    path(f"{ROUND}sample/list/", samples.listing, name="list-sample"),
    path(f"{ROUND}sample/screened/", samples.screened, name="screened-sample"),
    path(f"{ROUND}sample/remove/", samples.emptying, name="remove-sample"),
    path(f"{ROUND}sample/issues/", samples.issues, name="sample-issues"),
    # Labelling: where annotators work.
    path(f"{PROJECT}mine/", work.mine, name="mine"),
    path(f"{ROUND}label/", work.next_issue, name="next"),
    path(f"{ROUND}label/guide", work.guide, name="guide"),
    path(f"{ITEM}label", label.label, name="label"),
    path(f"{ITEM}draft", label.draft, name="draft"),
    path(f"{ITEM}time", label.time, name="time"),
    path(f"{ITEM}quotation", label.quotation, name="quotation"),
    path(f"{ITEM}pass", label.pass_on, name="pass"),
    path(f"{ITEM}take", label.take, name="take"),
    path(f"{ITEM}take-back", label.undo, name="take-back"),
    # Settling disagreements
    path(f"{PROJECT}disagreements/", disagreements.rounds, name="disagreement-rounds"),
    path(f"{PROJECT}adjudication/", adjudication.adjudication, name="adjudication"),
    path(f"{ROUND}disagreements/", disagreements.disagreements, name="disagreements"),
    path(f"{ROUND}disagreements/accept/", disagreements.accepting, name="accept"),
    path(f"{ROUND}disagreements/accepted/<int:acceptance>/reopen/", disagreements.undoing, name="acceptance-reopen"),
    path(f"{ROUND}disagreements/end/", discussions.ending_all, name="end-discussions"),
    path(f"{ROUND}disagreements/days/", discussions.setting_days, name="discussion-days"),
    path(f"{ROUND}disagreements/effects/", disagreements.effects, name="settling-effects"),
    path(f"{ITEM}disagreement/", disagreement.disagreement, name="disagreement"),
    path(f"{ITEM}disagreement/opinion/", actions.opining, name="opinion"),
    path(f"{AXIS}say/", actions.saying, name="axis-say"),
    path(f"{AXIS}revise/", actions.revising, name="axis-revise"),
    path(f"{AXIS}stay/", actions.staying, name="axis-stay"),
    path(f"{AXIS}take/", actions.taking, name="axis-take"),
    path(f"{AXIS}end/", discussions.ending, name="axis-end"),
    path(f"{AXIS}resume/", discussions.resuming, name="axis-resume"),
    path(f"{AXIS}decide/", actions.deciding, name="axis-decide"),
    path(f"{AXIS}accept/", actions.accepting, name="axis-accept"),
    path(f"{AXIS}reopen/", actions.reopening, name="axis-reopen"),
    # The codebook changes by vote
    path(f"{PROJECT}proposals/", proposals.proposals, name="proposals"),
    path(f"{PROJECT}proposals/new/", compose.proposing, name="propose"),
    path(PROPOSAL, proposals.proposal, name="proposal"),
    path(f"{PROPOSAL}edit/", compose.editing, name="proposal-edit"),
    path(f"{PROPOSAL}put/", proposals.putting, name="proposal-put"),
    path(f"{PROPOSAL}ballot/", proposals.balloting, name="proposal-ballot"),
    path(f"{PROPOSAL}withdraw/", proposals.withdrawing, name="proposal-withdraw"),
    path(f"{PROPOSAL}recheck/", proposals.rechecking, name="proposal-recheck"),
    # What comes out of labeling
    path(f"{PROJECT}results/", overview.results, name="results"),
    path(f"{PROJECT}progress/", progress.progress_page, name="progress"),
    path(f"{ROUND}agreement/", agreement.agreement, name="agreement"),
    path(f"{ROUND}agreement/matrix.csv", agreement.matrix, name="agreement-matrix"),
    path(f"{PROJECT}publish/", publishing.publish_page, name="publish"),
    path(f"{PROJECT}publish/now/", publishing.publish, name="publish-now"),
    path(f"{PROJECT}publish/take-back/", publishing.take_back, name="publish-take-back"),
    path(f"{PROJECT}publish/withdraw/", publishing.withdraw, name="publish-withdraw"),
    path(f"{PROJECT}releases/", releases.release_list, name="releases"),
    path(f"{PROJECT}releases/<int:number>/", releases.release_page, name="release"),
    path(f"{PROJECT}releases/<int:number>/archive.zip", releases.release_file, name="release-file"),
    path(f"{PROJECT}exchange/", exchange.exchange, name="exchange"),
    path(f"{PROJECT}exchange/votes/<slug:format_>/", exchange.export, name="export"),
    path(f"{PROJECT}exchange/imports/<int:number>/", exchange.import_page, name="import"),
    path(f"{PROJECT}exchange/imports/<int:number>/rejected.csv", exchange.rejected, name="import-rejected"),
    path(f"{PROJECT}jobs/<int:number>/", jobs.job_page, name="job"),
    path(f"{PROJECT}jobs/<int:number>/again/", jobs.job_again, name="job-again"),
]
