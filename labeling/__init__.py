"""The way from independent votes to labels that a reviewer can check: projects, rounds, votes, agreement, settling."""
