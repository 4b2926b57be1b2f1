"""Addresses of the labeling API, below `/api/v1/labeling/`. Within v1 none of them ever changes its meaning."""

from django.urls import path

from labeling.api import documents, proposals, views, work

PROJECT = "projects/<slug:project>/"
ROUND = f"{PROJECT}rounds/<int:number>/"
ISSUE = f"{ROUND}issues/<int:position>/"

urlpatterns = [
    path("openapi.yaml", documents.openapi, name="api-labeling-openapi"),
    path("projects/", views.ProjectsView.as_view(), name="api-labeling-projects"),
    path(PROJECT, views.ProjectDetailView.as_view(), name="api-labeling-project"),
    path(f"{PROJECT}codebooks/<int:number>/", views.CodebookView.as_view(), name="api-labeling-codebook"),
    path(f"{PROJECT}votes/", views.VotesView.as_view(), name="api-labeling-votes"),
    path(f"{PROJECT}proposals/", proposals.ProposalsView.as_view(), name="api-labeling-proposals"),
    path(f"{PROJECT}proposals/<int:proposal>/", proposals.ProposalView.as_view(), name="api-labeling-proposal"),
    path(f"{PROJECT}rounds/", views.RoundsView.as_view(), name="api-labeling-rounds"),
    path(ROUND, views.RoundView.as_view(), name="api-labeling-round"),
    path(f"{ROUND}agreement/", views.AgreementView.as_view(), name="api-labeling-agreement"),
    path(f"{ROUND}next/", work.NextView.as_view(), name="api-labeling-next"),
    path(ISSUE, work.IssueView.as_view(), name="api-labeling-issue"),
    path(f"{ISSUE}take/", work.TakeView.as_view(), name="api-labeling-take"),
    path(f"{ISSUE}draft/", work.DraftView.as_view(), name="api-labeling-draft"),
    path(f"{ISSUE}vote/", work.VoteView.as_view(), name="api-labeling-vote"),
    path(f"{ISSUE}pass/", work.PassView.as_view(), name="api-labeling-pass"),
    path(f"{ISSUE}votes/", work.IssueVotesView.as_view(), name="api-labeling-issue-votes"),
]
