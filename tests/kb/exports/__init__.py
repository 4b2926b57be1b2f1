"""Tests of what leaves the knowledge base as files."""
