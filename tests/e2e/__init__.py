"""Journeys in a real browser, and the pictures of every page."""
