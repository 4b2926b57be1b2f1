"""Addresses of the mirrors' public pages, and of what hosts and collectors call."""

from django.urls import path

from ingest.web import webhook

urlpatterns = [
    path("ingest/github/webhook", webhook.github, name="github-webhook"),
]
