"""Tests of the plumbing: settings and the embedded servers."""
