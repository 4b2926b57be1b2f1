"""Addresses of labeling. What belongs to one area stands together; rounds go by their number in the project.

Every view but the list of projects, the making of one, and joining goes through `access.project_page`.
"""

from django.urls import path

from labeling.web import projects

app_name = "labeling"
PROJECT = "<slug:project>/"
ROUND = f"{PROJECT}rounds/<int:number>/"
ITEM = f"{ROUND}issues/<int:position>/"

urlpatterns = [
    path("", projects.projects, name="projects"),
    path(PROJECT, projects.project, name="project"),
]
