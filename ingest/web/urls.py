"""Addresses of the mirrors' public pages, and of what hosts call."""

from django.urls import path

from ingest.web import actions as acting
from ingest.web import status, webhook

MIRROR = "status/<text:host>/<text:owner>/<text:name>/"

urlpatterns = [
    path("status/", status.status_page, name="status"),
    path(MIRROR, status.mirror_page, name="mirror-status"),
    path(f"{MIRROR}kept/", status.kept_page, name="mirror-kept"),
    path(f"{MIRROR}left-out/", status.left_out_page, name="mirror-left-out"),
    path(f"{MIRROR}do", acting.act, name="mirror-act"),
    path(f"{MIRROR}keep", acting.keep, name="mirror-keep"),
    path("ingest/imports/issues/<int:pk>/read-anew", acting.read_anew, name="issue-read-anew"),
    path("ingest/github/webhook", webhook.github, name="github-webhook"),
]
