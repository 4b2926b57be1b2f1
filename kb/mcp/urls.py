"""The address for agents."""

from django.urls import path

from kb.mcp.view import mcp

urlpatterns = [path("mcp", mcp, name="mcp")]
