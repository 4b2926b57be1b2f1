"""Addresses of the pages. Every page is a GET that can be bookmarked, shared and cited."""

from django.urls import path

from kb.web import codebook, health, home, issues, pages, studies, symptom_map

urlpatterns = [
    path("", home.home, name="home"),
    path("issues/", issues.search_page, name="search"),
    path("issues/<str:host>/<str:owner>/<str:name>/<str:ref>", issues.issue_page, name="issue"),
    path("issues/<str:host>/<str:owner>/<str:name>/<str:ref>/cite", issues.cite, name="cite"),
    path("codebook/", codebook.codebook, name="codebook"),
    path("codebook/<slug:scheme>/<slug:axis>/<str:code>", codebook.node, name="node"),
    path("playbooks/", codebook.playbooks, name="playbooks"),
    path("playbooks/<str:code>", codebook.playbook, name="playbook"),
    path("studies/", studies.studies, name="studies"),
    path("studies/<slug:slug>", studies.study, name="study"),
    path("map/", symptom_map.symptom_map, name="map"),
    path("about/", pages.about, name="about"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]
