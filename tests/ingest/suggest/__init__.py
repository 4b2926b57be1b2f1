"""Suggestions: the rules, how they are applied, and how often they are right."""
