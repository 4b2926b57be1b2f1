"""Addresses of labeling. What belongs to one area stands together; rounds go by their number in the project.

Every view but the list of projects, the making of one, and joining goes through `access.project_page`.
"""

from django.urls import path

from labeling.web import projects
from labeling.web.results import agreement, exchange, jobs, overview, progress, publishing, releases

app_name = "labeling"
PROJECT = "<slug:project>/"
ROUND = f"{PROJECT}rounds/<int:number>/"
ITEM = f"{ROUND}issues/<int:position>/"

urlpatterns = [
    path("", projects.projects, name="projects"),
    path(PROJECT, projects.project, name="project"),
    # What comes out of labeling
    path(f"{PROJECT}results/", overview.results, name="results"),
    path(f"{PROJECT}progress/", progress.progress_page, name="progress"),
    path(f"{ROUND}agreement/", agreement.agreement, name="agreement"),
    path(f"{ROUND}agreement/matrix.csv", agreement.matrix, name="agreement-matrix"),
    path(f"{PROJECT}publish/", publishing.publish_page, name="publish"),
    path(f"{PROJECT}publish/now/", publishing.publish, name="publish-now"),
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
